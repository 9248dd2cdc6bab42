#include "schedule/multitree/piece_count.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedule/multitree/tree_growth.h"
#include "schedule/trees/link_allocator.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

// The limit on the number of a root's trees multiplied by the number of accelerators. It keeps the time for
// growing trees short.
constexpr int kMostEdges = 1 << 15;

Bandwidth slowest_channel(const Topology& topology) {
  return {LinkAllocator(topology).slowest_bytes_per_second()};
}

}  // namespace

Femtoseconds predicted_time(const Topology& topology, const CompileRequest& request, const Trees& trees,
                            Bytes bytes) {
  const Femtoseconds step = request.message_gap + transfer_time(bytes, slowest_channel(topology));
  return 2 * trees.steps * step + waits_of(trees) * request.step_latency;
}

int rooted_pieces(const Topology& topology, const CompileRequest& request) {
  if (request.chunks != kAutomaticChunks) return request.chunks;
  const Bytes elements = std::max<Bytes>(request.size / request.element, 1);
  const auto most =
      static_cast<int>(std::min<Bytes>(elements, std::max(1, kMostEdges / topology.num_accelerators())));
  if (topology.num_accelerators() == 1 || most == 1) return 1;
  const int few = std::min(16, most / 2 + 1);
  const int more = std::min(2 * few, most);
  const auto steps_of = [&](int pieces) {
    return static_cast<double>(grow_trees_of(topology, request.root, pieces, request.seed).steps);
  };
  const double steps_of_few = steps_of(few);
  if (more == few) return few;
  const double a_piece = std::max((steps_of(more) - steps_of_few) / (more - few), 1e-3);
  const double fixed = std::max(steps_of_few - few * a_piece, 1.0);
  if (request.message_gap == 0) return most;
  const auto transfer = static_cast<double>(transfer_time(request.size, slowest_channel(topology)));
  const double best = std::sqrt(fixed * transfer / (a_piece * static_cast<double>(request.message_gap)));
  return static_cast<int>(std::clamp(std::round(best), 1.0, static_cast<double>(most)));
}

int slice_count(const Topology& topology, const CompileRequest& request, int steps) {
  if (request.chunks != kAutomaticChunks) return request.chunks;
  constexpr Bytes kMost = 64;
  const Bytes most =
      std::clamp<Bytes>(request.size / request.element / topology.num_accelerators(), 1, kMost);
  if (request.step_latency == 0) return static_cast<int>(most);
  const auto phase = static_cast<double>(
      steps * transfer_time(request.size / topology.num_accelerators(), slowest_channel(topology)));
  const double best = std::sqrt(1.5 * phase / static_cast<double>(request.step_latency));
  return static_cast<int>(std::clamp(std::round(best), 1.0, static_cast<double>(most)));
}

}  // namespace coppice::schedule
