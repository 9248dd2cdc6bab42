#include "schedule/packed_trees/packed_trees.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/compile/table_builder.h"
#include "schedule/packed_trees/circuits.h"
#include "schedule/packed_trees/link_trees.h"
#include "schedule/packed_trees/piece_choice.h"
#include "schedule/packed_trees/piece_tables.h"
#include "schedule/packed_trees/routed_trees.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

// Choices of trees whose pieces are all put in order; the others are compared by what some pieces take.
constexpr std::size_t kScheduledChoices = 2;

// How much longer than estimated messages take, by experience, that meet on channels behind switches.
constexpr double kContention = 1.4;

struct Candidate {
  TreeChoice trees;
  PieceChoice pieces;
  std::vector<Chunk> flows{};
  PieceSchedule schedule{};
};

Schedule schedule_pieces(const topology::Topology& topology, const CompileRequest& request,
                         std::vector<TreeChoice> choices) {
  const int owners = owners_of(topology, request);
  std::vector<Candidate> candidates;
  for (TreeChoice& choice : choices) {
    const PieceScheduler scheduler(topology, request, choice.trees);
    PieceChoice pieces = choose_pieces(scheduler, request, topology.num_accelerators(),
                                       static_cast<int>(choice.trees.size()), choice.pieces, owners);
    if (scheduler.may_contend(request.size / static_cast<Bytes>(choice.trees.size()))) {
      pieces.finish = static_cast<Femtoseconds>(kContention * static_cast<double>(pieces.finish));
    }
    candidates.push_back({std::move(choice), pieces});
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& c) { return c.pieces.finish; });
  candidates.resize(std::min(candidates.size(), kScheduledChoices));
  for (Candidate& candidate : candidates) {
    const PieceOrder& order = candidate.pieces.order;
    const std::vector<PackedTree>& trees = candidate.trees.trees;
    candidate.flows = cut_into_pieces(request, static_cast<int>(trees.size()), order.pieces, owners);
    std::vector<Bytes> bytes;
    for (const Chunk& flow : candidate.flows) bytes.push_back(flow.bytes);
    const PieceScheduler scheduler(topology, request, trees);
    candidate.schedule = scheduler.schedule(bytes, order);
    if (scheduler.may_contend(bytes.front())) {
      candidate.schedule.finish =
          static_cast<Femtoseconds>(kContention * static_cast<double>(candidate.schedule.finish));
    }
  }
  const Candidate& best =
      *std::ranges::min_element(candidates, {}, [](const Candidate& c) { return c.schedule.finish; });
  Schedule schedule = build_piece_tables(topology, request, PackedTreesCompiler::info().name,
                                         best.trees.trees, best.flows, best.schedule);
  if (request.chunks == kAutomaticChunks) schedule.chunks = best.pieces.order.pieces;
  return schedule;
}

// Where there are no switches.
std::vector<TreeChoice> choose_trees(const topology::Topology& topology, const CompileRequest& request) {
  if (request.collective == Collective::kAllReduce) {
    if (const auto links = symmetric_links(topology)) return choose_link_trees(topology, request, *links);
  }
  return choose_routed_trees(topology, request);
}

TreeChoice through_switches(const Circuits& circuits, TreeChoice choice) {
  for (PackedTree& tree : choice.trees) {
    for (TreeHop& hop : tree.hops) {
      ChannelPath path;
      for (const topology::ChannelId id : hop.path) {
        const ChannelPath& part = circuits.paths[static_cast<std::size_t>(id)];
        path.insert(path.end(), part.begin(), part.end());
      }
      hop.path = std::move(path);
    }
  }
  return choice;
}

}  // namespace

AlgorithmInfo PackedTreesCompiler::info() {
  return {.name = "packed_trees",
          .summary = "spanning trees that share out all bandwidth, each piece summed and spread at once",
          .chunking = Chunking::kChosen,
          .rooted = true};
}

Schedule PackedTreesCompiler::compile(const topology::Topology& topology,
                                      const CompileRequest& request) const {
  const int accelerators = topology.num_accelerators();
  if (accelerators == 1) {
    return build_schedule(topology, request, info().name, split_into_chunks(request.size, request.element, 1),
                          {});
  }
  const auto circuits = split_off_switches(topology, request);
  if (!circuits) return schedule_pieces(topology, request, choose_trees(topology, request));
  std::vector<TreeChoice> choices = choose_routed_trees(topology, request);
  if (!topology::find_unreachable(circuits->network)) {
    for (TreeChoice& choice : choose_trees(circuits->network, request)) {
      choices.push_back(through_switches(*circuits, std::move(choice)));
    }
  }
  return schedule_pieces(topology, request, std::move(choices));
}

}  // namespace coppice::schedule
