#include "schedule/trees/two_shot.h"

#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

AlgorithmInfo TwoShotCompiler::info() {
  return {
      .name = "two_shot",
      .summary = "every accelerator sends to all others simultaneously, as GPU libraries do for small data",
      .one_plane = true,
      .trials = {{.turn = 7, .seconds = [](const topology::Topology& topology, const CompileRequest&) {
                    return seconds_at(topology, 8, 2.3);
                  }}}};
}

Schedule TwoShotCompiler::compile(const topology::Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const int n = topology.num_accelerators();
  require_memory_for_trees(info().name, n, request);
  Trees stars{.steps = n > 1 ? 1 : 0, .pieces = 1, .trees = {}};
  for (NodeId owner = 0; owner < n; ++owner) {
    auto& star = stars.trees.emplace_back();
    for (int offset = 1; offset < n; ++offset)
      star.push_back({.parent = owner, .child = (owner + offset) % n, .step = 1});
  }
  return schedule_trees(topology, request, info().name, stars);
}

}  // namespace coppice::schedule
