#include "schedule/packed_trees/piece_choice.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"
#include "random_trees.h"
#include "schedule/packed_trees/piece_tables.h"

namespace coppice::schedule {
namespace {

constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

// The reference: simulates any number of pieces completely, whereas large numbers are otherwise extrapolated.
struct Trial {
  Trial(const PieceScheduler& of, const CompileRequest& from, std::size_t with)
      : scheduler(of), request(from), trees(static_cast<int>(with)) {}

  std::vector<Bytes> bytes(int pieces) const {
    std::vector<Bytes> all;
    for (const Chunk& chunk : cut_into_pieces(request, trees, pieces, 1)) all.push_back(chunk.bytes);
    return all;
  }
  Femtoseconds finish(const PieceOrder& order) const { return scheduler.finish(bytes(order.pieces), order); }

  const PieceScheduler& scheduler;
  const CompileRequest& request;
  int trees;
};

TEST(PieceCounts, AreFinerForFewPieces) {
  const Machine machine = torus({2, 2});
  CompileRequest request = machine.request(Collective::kAllReduce, 4 * 2 * 20);
  request.chunks = kAutomaticChunks;
  EXPECT_THAT(piece_counts(request, 4, 2),
              ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20));
  request.size = 4;
  EXPECT_THAT(piece_counts(request, 4, 2), ::testing::ElementsAre(1));
  request.chunks = 1;
  EXPECT_THAT(piece_counts(request, 4, 2), ::testing::ElementsAre(1));
  request.chunks = 2;
  EXPECT_THROW(piece_counts(request, 4, 2), UnsupportedError);
  request.size = 4 * 2 * 2;
  EXPECT_THAT(piece_counts(request, 4, 2), ::testing::ElementsAre(2));
}

// The choice must report the time that its order takes, and no adjacent number of pieces may be faster.
RC_GTEST_PROP(ChoosePieces, FindsABestNumberAmongItsNeighbours, ()) {
  const Machine machine = random_network(false);
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 16 * *rc::gen::inRange(40, 4000)));
  request.chunks = kAutomaticChunks;
  const std::vector<PackedTree> trees = random_trees(machine, request);
  const PieceScheduler scheduler(machine.topology, request, trees);
  const int n = machine.topology.num_accelerators();
  const auto count = static_cast<int>(trees.size());
  const PieceChoice choice = choose_pieces(scheduler, request, n, count, *rc::gen::inRange(1, 40), 1, kNever);
  const Trial trial(scheduler, request, trees.size());
  const std::vector<int> counts = piece_counts(request, n, count);
  const auto at = std::ranges::find(counts, choice.order.pieces);
  RC_ASSERT(at != counts.end());
  RC_ASSERT(choice.finish == trial.finish(choice.order));
  // With very many messages, the choice prefers fewer pieces even if these take slightly longer, so such
  // cases are skipped.
  constexpr int kFew = 20'000;
  RC_PRE(choice.order.pieces * 2 * (n - 1) * count < kFew);
  if (at != counts.begin()) RC_ASSERT(choice.finish <= trial.finish({*(at - 1), 1.5}));
  if (at + 1 != counts.end()) RC_ASSERT(choice.finish <= trial.finish({*(at + 1), 1.5}));
}

// The choice must report the time of its timetable. It must be at least as fast as with the number of pieces
// that would be best if each timetable kept the busiest channel busy. With a limit, only a faster choice is
// returned.
RC_GTEST_PROP(ChoosePeriodic, IsNoWorseThanTheFirstEstimate, ()) {
  const Machine machine = random_network(true);
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 4096 * *rc::gen::inRange(10, 500)));
  request.chunks = kAutomaticChunks;
  const std::vector<PackedTree> trees = random_trees(machine, request);
  const PieceScheduler scheduler(machine.topology, request, trees);
  const int n = machine.topology.num_accelerators();
  const auto count = static_cast<int>(trees.size());
  const PieceChoice choice = choose_periodic(scheduler, request, n, count, 1, kNever);
  const Trial trial(scheduler, request, trees.size());
  const auto finish = [&](int pieces) {
    return scheduler.finish_periodic(trial.bytes(pieces).front(), pieces).finish;
  };
  const std::vector<int> counts = piece_counts(request, n, count);
  const int first = *std::ranges::min_element(
      counts, {}, [&](int pieces) { return pieces * scheduler.period(trial.bytes(pieces).front()); });
  RC_ASSERT(choice.periodic);
  RC_ASSERT(choice.finish <= finish(first));
  RC_CLASSIFY(choice.finish < kNever);
  if (choice.finish == kNever) return;
  RC_ASSERT(choice.finish == finish(choice.order.pieces));
  const PieceChoice limited = choose_periodic(scheduler, request, n, count, 1, choice.finish);
  RC_ASSERT(limited.finish < choice.finish || limited.finish == kNever);
}

RC_GTEST_PROP(ChooseBuffered, ChoosesPiecesThatFitABuffer, ()) {
  const Machine machine = random_network(false);
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 16 * *rc::gen::inRange(40, 20'000)));
  request.chunks = kAutomaticChunks;
  const std::vector<PackedTree> trees = random_trees(machine, request);
  const PieceScheduler scheduler(machine.topology, request, trees);
  const int n = machine.topology.num_accelerators();
  const auto count = static_cast<int>(trees.size());
  const PieceChoice choice = choose_buffered(scheduler, request, n, count, 1, kNever);
  RC_CLASSIFY(choice.finish < kNever);
  if (choice.finish == kNever) return;
  const Trial trial(scheduler, request, trees.size());
  const std::vector<Bytes> bytes = trial.bytes(choice.order.pieces);
  RC_ASSERT(std::ranges::all_of(bytes, [&](Bytes one) { return one <= scheduler.longest_buffered(); }));
  RC_ASSERT(scheduler.buffered(bytes.front()));
  // Pieces beyond those simulated are assumed to follow at the rate of the busiest channel, so times differ
  // slightly.
  const Femtoseconds simulated = trial.finish(choice.order);
  const auto relative = static_cast<double>(choice.finish) / static_cast<double>(simulated);
  RC_ASSERT(relative > 0.9);
  RC_ASSERT(relative < 1.1);
  RC_ASSERT(choose_buffered(scheduler, request, n, count, 1, choice.finish).finish == kNever);
  request.chunks = 4;
  RC_ASSERT(choose_buffered(scheduler, request, n, count, 1, kNever).finish == kNever);
}

}  // namespace
}  // namespace coppice::schedule
