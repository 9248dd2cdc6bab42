#include "schedule/trees/direct.h"

#include "schedule/compile/memory_limit.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

AlgorithmInfo DirectCompiler::info() {
  return {.name = "direct", .summary = "every accelerator to every other"};
}

Schedule DirectCompiler::compile(const topology::Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const int n = topology.num_accelerators();
  require_memory_for_trees(info().name, n, request);
  Trees stars{.steps = n - 1, .pieces = 1, .trees = {}};
  for (NodeId owner = 0; owner < n; ++owner) {
    auto& star = stars.trees.emplace_back();
    for (int step = 1; step < n; ++step) {
      star.push_back({.parent = owner, .child = (owner + step) % n, .step = step});
    }
  }
  return schedule_trees(topology, request, info().name, stars);
}

}  // namespace coppice::schedule
