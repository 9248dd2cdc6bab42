#include "schedule/multitree/multitree.h"

#include "schedule/compile/memory_limit.h"
#include "schedule/multitree/tree_growth.h"

namespace coppice::schedule {

using topology::Topology;

Trees build_trees(const Topology& topology) {
  Trees best = grow_trees(topology, 1, LookingOrder::kAsFarAsNeeded);
  if (topology.num_switches() == 0) return best;
  const int least = least_steps(topology, 1);
  for (const LookingOrder order : kLookingOrders) {
    if (best.steps == least) break;
    Trees other = grow_trees(topology, 1, order);
    if (other.steps < best.steps) best = std::move(other);
  }
  return best;
}

AlgorithmInfo MultiTreeCompiler::info() {
  return {.name = "multitree",
          .summary = "trees built with their link schedule, one per accelerator (ISCA 2021)",
          .rooted = true};
}

Schedule MultiTreeCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  if (request.root >= 0) {
    return schedule_trees(topology, request, info().name,
                          grow_trees_of(topology, request.root, request.chunks, request.seed));
  }
  require_whole_chunks(request, info().name);
  require_memory_for_trees(info().name, topology.num_accelerators(), request);
  Schedule schedule = schedule_trees(topology, request, info().name, build_trees(topology));
  schedule.least_steps = (request.collective == Collective::kAllReduce ? 2 : 1) * least_steps(topology, 1);
  return schedule;
}

}  // namespace coppice::schedule
