#include "schedule/hdrm.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"
#include "schedule/halving_doubling.h"
#include "schedule/trees.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

void require_mappable(const Topology& topology) {
  if (topology.kind() != topology::Kind::kBigraph) {
    throw UnsupportedError(
        fmt::format("hdrm places halving-doubling on the two layers of a bigraph: it is not defined on {}; "
                    "halving_doubling is, for a power of two of accelerators",
                    topology.name()));
  }
  const auto per_switch = static_cast<unsigned>(topology.dims()[0]);
  const auto per_layer = static_cast<unsigned>(topology.dims()[1]) / 2;
  if (!std::has_single_bit(per_switch) || !std::has_single_bit(per_layer)) {
    throw UnsupportedError(
        fmt::format("hdrm pairs accelerators by the bits of their ranks: it needs powers of two of "
                    "accelerators per switch and of switches per layer, and {} has {} and {}",
                    topology.name(), per_switch, per_layer));
  }
  if (per_switch > per_layer) {
    throw UnsupportedError(
        fmt::format("hdrm sends from all accelerators of a switch to different switches of the other layer: "
                    "{} has {} accelerators per switch for {} switches",
                    topology.name(), per_switch, per_layer));
  }
}

}  // namespace

std::vector<NodeId> rank_mapping(const Topology& topology) {
  require_mappable(topology);
  const auto per_switch = static_cast<unsigned>(topology.dims()[0]);
  const auto per_layer = static_cast<unsigned>(topology.dims()[1]) / 2;
  std::vector<NodeId> accelerators;
  for (unsigned rank = 0; rank < 2 * per_switch * per_layer; ++rank) {
    const bool upper = std::popcount(rank) % 2 != 0;
    const unsigned place = rank / 2;
    const unsigned at_switch = upper ? per_layer + place % per_layer : place / per_switch;
    const unsigned slot = upper ? place / per_layer : place % per_switch;
    accelerators.push_back(static_cast<NodeId>(at_switch * per_switch + slot));
  }
  return accelerators;
}

Schedule HdrmCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, "hdrm");
  return schedule_trees(topology, request, "hdrm", halving_doubling_trees(rank_mapping(topology)));
}

}  // namespace coppice::schedule
