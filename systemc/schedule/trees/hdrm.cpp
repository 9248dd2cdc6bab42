#include "schedule/trees/hdrm.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <utility>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/halving_doubling.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

void require_mappable(const Topology& topology) {
  if (topology.kind() != topology::Kind::kBigraph) {
    throw UnsupportedError(
        fmt::format("hdrm needs a bigraph, not {}: use halving_doubling, which runs on any network with a "
                    "power-of-two number of accelerators",
                    topology.name()));
  }
  const auto per_switch = static_cast<unsigned>(topology.dims()[0]);
  const auto per_layer = static_cast<unsigned>(topology.dims()[1]) / 2;
  if (!std::has_single_bit(per_switch) || !std::has_single_bit(per_layer)) {
    throw UnsupportedError(
        fmt::format("hdrm needs a power-of-two number of accelerators per switch and of switches per layer, "
                    "but {} has {} and {}",
                    topology.name(), per_switch, per_layer));
  }
  if (per_switch > per_layer) {
    throw UnsupportedError(
        fmt::format("hdrm sends from all accelerators of a switch to different switches of the other layer, "
                    "but {} has {} accelerators per switch and only {} switches per layer",
                    topology.name(), per_switch, per_layer));
  }
}

// Routes every edge over the link between the switches of its two ends. No path returns to the layer in which
// it started, so any assignment of virtual channels is free of deadlock.
void send_over_links(const Topology& topology, Trees& trees) {
  const auto switch_of = [&](NodeId node) {
    return topology.channel(topology.out_channels(node).front()).dst;
  };
  std::map<std::pair<NodeId, NodeId>, std::int32_t> known;
  for (auto& tree : trees.trees) {
    for (TreeEdge& edge : tree) {
      const auto next = static_cast<std::int32_t>(trees.paths.size());
      edge.path = known.try_emplace({edge.parent, edge.child}, next).first->second;
      if (edge.path != next) continue;
      const NodeId from = switch_of(edge.parent);
      const NodeId to = switch_of(edge.child);
      trees.paths.push_back({topology.out_channels(edge.parent).front(), find_channel(topology, from, to),
                             find_channel(topology, to, edge.child)});
    }
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

AlgorithmInfo HdrmCompiler::info() {
  return {.name = "hdrm",
          .summary = "halving_doubling with ranks placed on a bigraph so that no messages contend (EFLOPS)",
          .trials = {{.turn = 6, .seconds = seconds_of_messages}}};
}

Schedule HdrmCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  require_memory_for_trees(info().name, topology.num_accelerators(), request);
  const std::vector<NodeId> ranks = rank_mapping(topology);
  Trees trees =
      exchange_trees(ranks, std::vector<int>(static_cast<std::size_t>(std::countr_zero(ranks.size())), 2));
  send_over_links(topology, trees);
  return schedule_trees(topology, request, info().name, trees);
}

}  // namespace coppice::schedule
