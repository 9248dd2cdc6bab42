#include "schedule/trees/rabenseifner.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/table_builder.h"
#include "schedule/trees/halving_doubling.h"

namespace coppice::schedule {
namespace {

// Adds the messages that fold or unfold pairs, chunk by chunk from timestep `first` on. Folding messages go
// from each odd accelerator to the even one before it, and unfolding messages go back.
void fold(Op op, int extra, int chunks, int first, std::vector<Send>& sends) {
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (NodeId even = 0; even < 2 * extra; even += 2) {
      const NodeId odd = even + 1;
      const bool folds = op == Op::kReduce;
      sends.push_back({.op = op,
                       .flow = chunk,
                       .src = folds ? odd : even,
                       .dst = folds ? even : odd,
                       .step = first + chunk});
    }
  }
}

}  // namespace

AlgorithmInfo RabenseifnerCompiler::info() {
  return {
      .name = "rabenseifner",
      .summary =
          "halving_doubling for any number of accelerators, with surplus ones folded in first (all_reduce)",
      .one_plane = true,
      .trials = {{.turn = 5, .seconds = seconds_of_messages}}};
}

Schedule RabenseifnerCompiler::compile(const topology::Topology& topology,
                                       const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  if (request.collective != Collective::kAllReduce) {
    throw UnsupportedError(fmt::format("rabenseifner supports only all_reduce, not {}: use halving_doubling",
                                       to_string(request.collective)));
  }
  const int n = topology.num_accelerators();
  require_memory_for_trees(info().name, n, request);
  const auto core = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  const int extra = n - core;
  std::vector<NodeId> ranks(static_cast<std::size_t>(core));
  std::iota(ranks.begin(), ranks.end(), 0);
  const int levels = std::countr_zero(static_cast<unsigned>(core));
  const Trees trees = exchange_trees(ranks, std::vector<int>(static_cast<std::size_t>(levels), 2));
  const auto member = [&](NodeId rank) { return rank < extra ? 2 * rank : rank + extra; };
  const int folding = extra > 0 ? core : 0;
  std::vector<Send> sends;
  fold(Op::kReduce, extra, core, 1, sends);
  for (int chunk = 0; chunk < core; ++chunk) {
    for (const TreeEdge& edge : trees.trees[static_cast<std::size_t>(chunk)]) {
      sends.push_back({.op = Op::kReduce,
                       .flow = chunk,
                       .src = member(edge.child),
                       .dst = member(edge.parent),
                       .step = folding + trees.steps + 1 - edge.step});
      sends.push_back({.op = Op::kGather,
                       .flow = chunk,
                       .src = member(edge.parent),
                       .dst = member(edge.child),
                       .step = folding + trees.steps + edge.step});
    }
  }
  fold(Op::kGather, extra, core, folding + 2 * trees.steps + 1, sends);
  return build_schedule(topology, request, info().name,
                        split_into_chunks(request.size, request.element, core), sends);
}

}  // namespace coppice::schedule
