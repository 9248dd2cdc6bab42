#include "schedule/trees/swing.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/pairwise_trees.h"
#include "schedule/trees/scheduled_trees.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

// Returns the signed distance from an even rank to its partner in step s: 1, -1, 3, -5, 11, ...
int distance(int step) {
  int sum = 0;
  for (int i = 0, power = 1; i <= step; ++i, power *= -2) sum += power;
  return sum;
}

int partner_of(int rank, int ranks, int step, bool mirrored) {
  const bool upwards = (rank % 2 == 0) != mirrored;
  const int to = rank + (upwards ? distance(step) : -distance(step));
  return (to % ranks + ranks) % ranks;
}

// The positions of accelerators, which are their coordinates on a torus, and otherwise their numbers in a
// single row.
class Ranks {
 public:
  explicit Ranks(const Topology& topology) : topology_(topology) {
    const bool torus = topology::info_of(topology.kind()).wraps && topology.num_switches() == 0;
    if (torus && topology.dims().size() > 1) {
      widths_ = topology.dims();
    } else {
      widths_ = {topology.num_accelerators()};
    }
  }

  const std::vector<int>& widths() const { return widths_; }
  NodeId partner(NodeId node, std::size_t dimension, int step, bool mirrored) const {
    if (widths_.size() == 1) return partner_of(node, widths_.front(), step, mirrored);
    std::vector<int> at = topology_.coordinates(node);
    at[dimension] = partner_of(at[dimension], widths_[dimension], step, mirrored);
    return topology_.node_at(at);
  }

 private:
  const Topology& topology_;
  std::vector<int> widths_;
};

// Returns the stages of the all-gather of one piece, whose reduce-scatter begins with dimension `first`. The
// all-gather begins with the longest distances, which are those of the last steps of the reduce-scatter.
std::vector<Partners> stages_of(const Ranks& ranks, int accelerators, std::size_t first, bool mirrored) {
  const std::vector<int>& widths = ranks.widths();
  std::vector<int> taken(widths.size(), 0);
  std::vector<Partners> stages;
  for (std::size_t turn = first; (1 << stages.size()) < accelerators; ++turn) {
    const std::size_t d = turn % widths.size();
    if (1 << taken[d] >= widths[d]) continue;
    Partners& partners = stages.emplace_back();
    for (NodeId node = 0; node < accelerators; ++node)
      partners.push_back(ranks.partner(node, d, taken[d], mirrored));
    ++taken[d];
  }
  std::ranges::reverse(stages);
  return stages;
}

// Returns the pieces that move concurrently: two for each dimension that is wide enough, but no more than
// there are ports.
std::vector<std::vector<Partners>> pieces_of(const Topology& topology, const CompileRequest& request) {
  const Ranks ranks(topology);
  const int n = topology.num_accelerators();
  std::vector<std::vector<Partners>> pieces;
  for (const bool mirrored : {false, true}) {
    for (std::size_t d = 0; d < ranks.widths().size(); ++d) {
      if (ranks.widths()[d] == 1) continue;
      if (!pieces.empty() && pieces.size() >= static_cast<std::size_t>(request.ni_ports)) break;
      pieces.push_back(stages_of(ranks, n, d, mirrored));
    }
  }
  if (pieces.empty()) pieces.emplace_back();
  return pieces;
}

}  // namespace

AlgorithmInfo SwingCompiler::info() {
  return {.name = "swing",
          .summary = "halving and doubling over short-cut rings, on all ports of a torus (NSDI 2024)",
          .trials = {{.turn = 5, .seconds = seconds_of_messages}}};
}

Schedule SwingCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  // A product of widths is a power of two only if every width is a power of two.
  require_power_of_two(info().name, topology.name(), topology.num_accelerators());
  const std::vector<std::vector<Partners>> pieces = pieces_of(topology, request);
  require_memory_for_trees(info().name, topology.num_accelerators(), request);
  return schedule_trees(topology, request, info().name, pairwise_trees(pieces));
}

AlgorithmInfo BineCompiler::info() {
  return {.name = "bine",
          .summary = "butterflies of Bine trees over a power-of-two number of accelerators (SC 2025)",
          .one_plane = true,
          .trials = {{.turn = 5, .seconds = seconds_of_messages}}};
}

Schedule BineCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const int n = topology.num_accelerators();
  require_power_of_two(info().name, topology.name(), n);
  require_memory_for_trees(info().name, n, request);
  std::vector<Partners> stages;
  for (int step = std::countr_zero(static_cast<unsigned>(n)) - 1; step >= 0; --step) {
    Partners& partners = stages.emplace_back();
    for (NodeId node = 0; node < n; ++node) partners.push_back(partner_of(node, n, step, false));
  }
  return schedule_trees(topology, request, info().name, pairwise_trees({stages}));
}

}  // namespace coppice::schedule
