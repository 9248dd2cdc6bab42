#include "schedule/pipelined_trees/tree_compilers.h"

#include <algorithm>
#include <limits>

#include "schedule/compile/cost_model.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/pipelined_trees/binary_trees.h"
#include "schedule/pipelined_trees/embedding.h"
#include "schedule/pipelined_trees/hierarchy_trees.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::Kind;
using topology::Topology;

TreePlacement resolve(const Topology& topology, TreePlacement placement) {
  if (placement != TreePlacement::kAuto) return placement;
  if (topology.kind() == Kind::kDgx1) return TreePlacement::kCcube;
  const bool links = topology::info_of(topology.kind()).irregular && topology.num_switches() == 0;
  return links ? TreePlacement::kEmbedded : TreePlacement::kRouted;
}

template <int kTrees>
double apart_time_ns(const CostModel& model, const Schedule& schedule) {
  const double chunks = static_cast<double>(schedule.flows) / kTrees;
  return 2 * model.tree_phase_ns(static_cast<double>(schedule.size) / kTrees, chunks);
}

template <int kTrees>
double overlapped_time_ns(const CostModel& model, const Schedule& schedule) {
  const double chunks = static_cast<double>(schedule.flows) / kTrees;
  return model.overlapped_tree_ns(static_cast<double>(schedule.size) / kTrees, chunks);
}

}  // namespace

std::vector<LinkedTree> request_trees(const Topology& topology, const CompileRequest& request, int count) {
  if (topology.num_accelerators() == 1) return {LinkedTree{0, {}}};
  switch (resolve(topology, request.trees)) {
    case TreePlacement::kCcube: {
      std::vector<LogicalTree> trees = ccube_trees();
      trees.resize(static_cast<std::size_t>(count));
      return link_trees(topology, map_trees(topology, trees));
    }
    case TreePlacement::kEmbedded:
      if (topology.kind() == Kind::kHierarchy) return hierarchy_trees(topology, count);
      return link_trees(topology, embed_trees(topology, count));
    default:
      break;
  }
  const auto trees = double_binary_tree(topology.num_accelerators());
  if (count == 1) return {routed_tree(trees.first)};
  return {routed_tree(trees.first), routed_tree(trees.second)};
}

int resolve_chunks(const Topology& topology, const CompileRequest& request, int trees) {
  if (request.chunks != kAutomaticChunks) return request.chunks;
  const Bytes elements = request.size / request.element;
  const auto most =
      static_cast<int>(std::clamp<Bytes>(elements / trees, 1, std::numeric_limits<std::int16_t>::max()));
  return optimal_chunks(cost_model(topology, request.step_latency), static_cast<double>(request.size) / trees,
                        most);
}

// The time per message for building the tables and predicting their run time.
constexpr double kSecondsPerMessage = 0.6e-6;

template <int kTrees, Phases kPhases>
AlgorithmInfo TreeCompiler<kTrees, kPhases>::info() {
  const bool overlapped = kPhases == Phases::kOverlapped;
  const std::string apart = kTrees == 1 ? "tree" : "double_tree";
  std::string summary = kTrees == 1 ? "reduces up a binary tree, then broadcasts down it (all_reduce)"
                                    : "two binary trees with half of the data each (all_reduce)";
  if (overlapped) summary = "as " + apart + ", each chunk broadcast as soon as it is reduced (C-Cube)";
  std::vector<AutomaticTrial> trials;
  if (overlapped && kTrees == 2) {
    trials = {{.turn = 8,
               .chunks = kAutomaticChunks,
               .seconds = [](const Topology& network, const CompileRequest& asked) {
                 const int edges = kTrees * (network.num_accelerators() - 1);
                 return kSecondsPerMessage * 2 * edges * resolve_chunks(network, asked, kTrees);
               }}};
  }
  return {.name = (overlapped ? "overlapped_" : "") + apart,
          .summary = summary,
          .chunking = Chunking::kChosen,
          .has_tree_placement = true,
          .one_plane = true,
          .trials = std::move(trials),
          .predicted_ns = overlapped ? overlapped_time_ns<kTrees> : apart_time_ns<kTrees>};
}

template <int kTrees, Phases kPhases>
Schedule TreeCompiler<kTrees, kPhases>::compile(const Topology& topology,
                                                const CompileRequest& request) const {
  CompileRequest resolved = request;
  resolved.chunks = resolve_chunks(topology, request, kTrees);
  const std::int64_t edges = topology.num_accelerators() - 1;
  require_memory(info().name, 2 * kTrees * edges * resolved.chunks, machine_memory());
  Schedule schedule = schedule_linked_trees(topology, resolved, info().name,
                                            request_trees(topology, request, kTrees), kPhases);
  if (request.chunks == kAutomaticChunks) schedule.chunks = resolved.chunks;
  return schedule;
}

template class TreeCompiler<1, Phases::kApart>;
template class TreeCompiler<2, Phases::kApart>;
template class TreeCompiler<1, Phases::kOverlapped>;
template class TreeCompiler<2, Phases::kOverlapped>;

}  // namespace coppice::schedule
