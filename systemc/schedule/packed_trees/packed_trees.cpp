#include "schedule/packed_trees/packed_trees.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/compile/table_builder.h"
#include "schedule/packed_trees/link_trees.h"
#include "schedule/packed_trees/piece_choice.h"
#include "schedule/packed_trees/piece_tables.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {
namespace {
if (getenv("PTD")) fprintf(stderr, "%.3f %s %g %g %g\n", double(clock()) / CLOCKS_PER_SEC, w, a, b, c);

// Choices of trees whose pieces are all put in order; the others are compared by what some pieces take.
constexpr std::size_t kScheduledChoices = 2;

struct Candidate {
  TreeChoice trees;
  PieceChoice pieces;
  std::vector<Chunk> flows{};
  PieceSchedule schedule{};
};

Schedule schedule_pieces(const topology::Topology& topology, const CompileRequest& request,
                         std::vector<TreeChoice> choices) {
  std::vector<Candidate> candidates;
  for (TreeChoice& choice : choices) {
    const PieceScheduler scheduler(topology, request, choice.trees);
    const PieceChoice pieces = choose_pieces(scheduler, request, topology.num_accelerators(),
                                             static_cast<int>(choice.trees.size()), choice.pieces);
    candidates.push_back({std::move(choice), pieces});
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& c) { return c.pieces.finish; });
  candidates.resize(std::min(candidates.size(), kScheduledChoices));
  for (Candidate& candidate : candidates) {
    const PieceOrder& order = candidate.pieces.order;
    const std::vector<PackedTree>& trees = candidate.trees.trees;
    candidate.flows = cut_into_pieces(request, static_cast<int>(trees.size()), order.pieces);
    std::vector<Bytes> bytes;
    for (const Chunk& flow : candidate.flows) bytes.push_back(flow.bytes);
    candidate.schedule = PieceScheduler(topology, request, trees).schedule(bytes, order);
  }
  for (auto& c : candidates)
    const Candidate& best =
        *std::ranges::min_element(candidates, {}, [](const Candidate& c) { return c.schedule.finish; });
  return build_piece_tables(topology, request, "packed_trees", best.trees.trees, best.flows, best.schedule);
}

}  // namespace

Schedule PackedTreesCompiler::compile(const topology::Topology& topology,
                                      const CompileRequest& request) const {
  const int accelerators = topology.num_accelerators();
  if (accelerators == 1) {
    return build_schedule(topology, request, "packed_trees",
                          split_into_chunks(request.size, request.element, 1), {});
  }
  const auto links = symmetric_links(topology);
  if (!links || request.collective != Collective::kAllReduce) {
    throw UnsupportedError("packed_trees takes all_reduce over links between accelerators alone so far");
  }
  return schedule_pieces(topology, request, choose_link_trees(topology, request, *links));
}

}  // namespace coppice::schedule
