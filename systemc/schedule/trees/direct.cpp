#include "schedule/trees/direct.h"

#include <algorithm>
#include <vector>

#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

namespace {

// Returns the number of messages that an accelerator sends concurrently: one on a shared network, or one per
// port if a separate channel leads to every other accelerator.
int messages_at_once(const topology::Topology& topology, const CompileRequest& request) {
  const int n = topology.num_accelerators();
  for (NodeId node = 0; node < n; ++node) {
    std::vector<bool> reached(static_cast<std::size_t>(topology.num_nodes()), false);
    for (const topology::ChannelId id : topology.out_channels(node)) {
      reached[static_cast<std::size_t>(topology.channel(id).dst)] = true;
    }
    if (std::count(reached.begin(), reached.begin() + n, true) < n - 1) return 1;
  }
  return std::max(1, std::min(request.ni_ports, n - 1));
}

}  // namespace

AlgorithmInfo DirectCompiler::info() {
  return {.name = "direct",
          .summary = "every accelerator sends directly to every other",
          .one_plane = true,
          .trials = {{.turn = 7, .seconds = [](const topology::Topology& topology, const CompileRequest&) {
                        return seconds_at(topology, 8, 2.3);
                      }}}};
}

Schedule DirectCompiler::compile(const topology::Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const int n = topology.num_accelerators();
  require_memory_for_trees(info().name, n, request);
  const int at_once = messages_at_once(topology, request);
  Trees stars{.steps = (n - 1 + at_once - 1) / at_once, .pieces = 1, .trees = {}};
  for (NodeId owner = 0; owner < n; ++owner) {
    auto& star = stars.trees.emplace_back();
    for (int offset = 1; offset < n; ++offset) {
      star.push_back({.parent = owner, .child = (owner + offset) % n, .step = 1 + (offset - 1) / at_once});
    }
  }
  return schedule_trees(topology, request, info().name, stars);
}

}  // namespace coppice::schedule
