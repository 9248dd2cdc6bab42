#include "schedule/multitree/chained_multitree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/table_builder.h"
#include "schedule/multitree/multitree_optimal.h"
#include "schedule/multitree/piece_count.h"
#include "schedule/trees/timestep_order.h"

namespace coppice::schedule {
namespace {

void require_sliceable(const CompileRequest& request) {
  if (request.collective != Collective::kAllReduce) {
    throw UnsupportedError(
        fmt::format("chained_multitree supports only all_reduce, not {}: use multitree_optimal",
                    to_string(request.collective)));
  }
  const Bytes elements = std::max<Bytes>(request.size / request.element, 1);
  if (request.chunks <= elements) return;
  throw UnsupportedError(
      fmt::format("chained_multitree cannot use {} slices: {} bytes allow 1 to {}, each with at least one "
                  "element of {} bytes",
                  request.chunks, request.size, elements, request.element));
}

// Returns the number of phases before the given phase of a slice. The order of phases is RS 0, RS 1, AG 0, RS
// 2, AG 1, ..., AG K-1.
int phases_before(Op op, int slice, int slices) {
  return op == Op::kReduce ? std::max(2 * slice - 1, 0) : std::min(2 * slice + 2, 2 * slices - 1);
}

}  // namespace

AlgorithmInfo ChainedMultiTreeCompiler::info() {
  return {.name = "chained_multitree",
          .summary = "multitree_optimal applied slice by slice in the order of the data (all_reduce)",
          .chunking = Chunking::kChosen,
          .trials = {{.turn = 8,
                      .chunks = kAutomaticChunks,
                      .seconds = [](const topology::Topology& topology, const CompileRequest& request) {
                        const double growth = seconds_of_growth(topology, request);
                        return growth + seconds_at(topology, 40, 2.2);
                      }}}};
}

Schedule ChainedMultiTreeCompiler::compile(const topology::Topology& topology,
                                           const CompileRequest& request) const {
  require_sliceable(request);
  require_memory_for_trees(info().name, topology.num_accelerators(), request);
  const Trees trees = build_optimal_trees(topology, 1, request.seed);
  const int slices = slice_count(topology, request, trees.steps);
  const auto reverse = reverse_channels(topology);
  const auto gather_step = order_steps(topology, trees, PathsFirst::kShortest);
  const auto reduce_step = order_steps(topology, trees, PathsFirst::kLongest);
  std::vector<Chunk> flows;
  std::vector<Send> sends;
  int slice = 0;
  for (const Chunk& data : split_into_chunks(request.size, request.element, slices)) {
    const int reduce_before = phases_before(Op::kReduce, slice, slices) * trees.steps;
    const int gather_before = phases_before(Op::kGather, slice, slices) * trees.steps;
    const std::vector<Chunk> parts =
        split_into_chunks(data.bytes, request.element, topology.num_accelerators());
    for (std::size_t tree = 0; tree < parts.size(); ++tree) {
      const auto flow = static_cast<std::int32_t>(flows.size());
      flows.push_back({.address = data.address + parts[tree].address, .bytes = parts[tree].bytes});
      for (const TreeEdge& edge : trees.trees[tree]) {
        const bool direct = edge.channel >= 0;
        const auto at = static_cast<std::size_t>(edge.step);
        const auto paths = static_cast<std::int32_t>(trees.paths.size());
        sends.push_back({.op = Op::kReduce,
                         .flow = flow,
                         .src = edge.child,
                         .dst = edge.parent,
                         .step = reduce_before + trees.steps + 1 - reduce_step[at],
                         .channel = direct ? reverse[static_cast<std::size_t>(edge.channel)] : -1,
                         .path = edge.path < 0 ? -1 : edge.path + paths});
        sends.push_back({.op = Op::kGather,
                         .flow = flow,
                         .src = edge.parent,
                         .dst = edge.child,
                         .step = gather_before + gather_step[at],
                         .channel = edge.channel,
                         .path = edge.path});
      }
    }
    ++slice;
  }
  Schedule schedule =
      build_schedule(topology, request, info().name, flows, sends, paths_both_ways(trees, reverse));
  if (request.chunks == kAutomaticChunks) schedule.chunks = slices;
  if (slices > 1) {
    const auto parts = static_cast<std::size_t>(topology.num_accelerators());
    schedule.repetition = {
        .flow = topology.num_accelerators(), .address = flows[parts].address, .step = 2 * trees.steps};
  }
  return schedule;
}

}  // namespace coppice::schedule
