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
// Messages up to which that is done: where they are more, pipelines are long and estimates exact.
constexpr std::int64_t kComparedMessages = 150'000;

// How much longer than estimated messages take, by experience, that several ports send over one channel: in
// timesteps that keep them apart, and as they come.
constexpr double kTimesteps = 1.08;
constexpr double kContention = 1.4;

struct Candidate {
  TreeChoice trees;
  PieceChoice pieces;
  std::vector<Chunk> flows{};
  PieceSchedule schedule{};
};

// Over the estimate, for messages of such lengths.
double slowdown(const PieceScheduler& scheduler, Bytes bytes) {
  if (!scheduler.shares_channels()) return 1;
  return scheduler.in_steps(bytes) ? kTimesteps : kContention;
}

// Numbers of pieces for some choices of trees.
class Candidates {
 public:
  Candidates(const topology::Topology& topology, const CompileRequest& request)
      : topology_(topology), request_(request), owners_(owners_of(topology, request)) {}

  // Unless what is known promises more.
  void add(TreeChoice choice) {
    const PieceScheduler scheduler(topology_, request_, choice.trees);
    const double slower = slowdown(scheduler, request_.size / static_cast<Bytes>(choice.trees.size()));
    if (!candidates_.empty() && slower * choice.estimate > static_cast<double>(least_)) return;
    PieceChoice pieces = choose_pieces(scheduler, request_, topology_.num_accelerators(),
                                       static_cast<int>(choice.trees.size()), choice.pieces, owners_);
    pieces.finish = static_cast<Femtoseconds>(slower * static_cast<double>(pieces.finish));
    least_ = candidates_.empty() ? pieces.finish : std::min(least_, pieces.finish);
    candidates_.push_back({std::move(choice), pieces});
  }

  Schedule schedule_best() {
    std::ranges::stable_sort(candidates_, {}, [](const Candidate& c) { return c.pieces.finish; });
    const Candidate& first = candidates_.front();
    const std::int64_t messages = std::int64_t{2} * topology_.num_accelerators() *
                                  static_cast<std::int64_t>(first.trees.trees.size()) *
                                  first.pieces.order.pieces;
    candidates_.resize(messages > kComparedMessages ? 1 : std::min(candidates_.size(), kScheduledChoices));
    for (Candidate& candidate : candidates_) put_in_order(candidate);
    const Candidate& best =
        *std::ranges::min_element(candidates_, {}, [](const Candidate& c) { return c.schedule.finish; });
    Schedule schedule = build_piece_tables(topology_, request_, PackedTreesCompiler::info().name,
                                           best.trees.trees, best.flows, best.schedule);
    if (request_.chunks == kAutomaticChunks) schedule.chunks = best.pieces.order.pieces;
    return schedule;
  }

 private:
  void put_in_order(Candidate& candidate) const {
    const PieceOrder& order = candidate.pieces.order;
    const std::vector<PackedTree>& trees = candidate.trees.trees;
    const auto tree_count = static_cast<int>(trees.size());
    candidate.flows = cut_into_pieces(request_, tree_count, order.pieces, owners_);
    std::vector<Bytes> bytes;
    for (const Chunk& flow : candidate.flows) bytes.push_back(flow.bytes);
    const PieceScheduler scheduler(topology_, request_, trees);
    candidate.schedule = scheduler.schedule_repeating(bytes, order, request_.chunks != kAutomaticChunks);
    const double slower = slowdown(scheduler, bytes.front());
    candidate.schedule.finish =
        static_cast<Femtoseconds>(slower * static_cast<double>(candidate.schedule.finish));
  }

  const topology::Topology& topology_;
  const CompileRequest& request_;
  int owners_;
  Femtoseconds least_ = 0;
  std::vector<Candidate> candidates_;
};

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
  Candidates candidates(topology, request);
  const auto circuits = split_off_switches(topology, request);
  if (circuits && !topology::find_unreachable(circuits->network)) {
    for (TreeChoice& choice : choose_trees(circuits->network, request)) {
      candidates.add(through_switches(*circuits, std::move(choice)));
    }
  }
  auto choices = circuits ? choose_routed_trees(topology, request) : choose_trees(topology, request);
  for (TreeChoice& choice : choices) candidates.add(std::move(choice));
  return candidates.schedule_best();
}

}  // namespace coppice::schedule
