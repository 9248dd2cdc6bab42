#include "schedule/tables/dimension_algorithm.h"

#include <gmock/gmock.h>

#include <set>
#include <vector>

#include "base/error.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using topology::DimensionKind;

TEST(DimensionAlgorithm, HasAsManyStepsAsTheNetworkNeeds) {
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kRing, 5).steps(), 4);
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kRing, 5).messages(), 2);
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kFullyConnected, 5).steps(), 1);
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kFullyConnected, 5).messages(), 4);
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kSwitch, 8).steps(), 3);
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kSwitch, 8).messages(), 1);
}

TEST(DimensionAlgorithm, RejectsHalvingOnASwitchWhoseSizeIsNotAPowerOfTwo) {
  EXPECT_THAT(
      [] { DimensionAlgorithm(2, DimensionKind::kSwitch, 12, false, DimensionMethod::kHalvingDoubling); },
      ThrowsMessage<UnsupportedError>(
          HasSubstr("dimension 2 is a switch of 12 accelerators, but halving_doubling needs a power of two: "
                    "write 8 or 16 accelerators, or use direct or ring")));
}

TEST(DimensionAlgorithm, IsDirectByDefaultOnASwitchWhoseSizeIsNotAPowerOfTwo) {
  const DimensionAlgorithm direct(0, DimensionKind::kSwitch, 12);
  EXPECT_EQ(direct.steps(), 1);
  EXPECT_EQ(direct.messages(), 11);
  EXPECT_EQ(direct.ports(), 1);
  EXPECT_EQ(DimensionAlgorithm(0, DimensionKind::kFullyConnected, 12).ports(), 11);
}

TEST(DimensionAlgorithm, HalvesToItsOwnPartAndDoublesBack) {
  const DimensionAlgorithm halving(0, DimensionKind::kSwitch, 8);
  const auto first = halving.move(Op::kReduce, 0, 0, 5);  // the accelerator keeps parts 4 to 7
  EXPECT_EQ(first.peer, 1);
  EXPECT_EQ(first.first_part, 0);
  EXPECT_EQ(first.parts, 4);
  const auto last = halving.move(Op::kReduce, 2, 0, 5);
  EXPECT_EQ(last.peer, 4);
  EXPECT_EQ(last.first_part, 4);
  EXPECT_EQ(last.parts, 1);
  const auto back = halving.move(Op::kGather, 2, 0, 5);  // the accelerator has parts 4 to 7
  EXPECT_EQ(back.peer, 1);
  EXPECT_EQ(back.first_part, 4);
  EXPECT_EQ(back.parts, 4);
}

// Executes the messages of all accelerators of a group, for every kind of dimension and several sizes.
class AnyDimension : public testing::TestWithParam<std::pair<DimensionKind, int>> {
 protected:
  int size_ = GetParam().second;
  DimensionAlgorithm algorithm_{0, GetParam().first, size_};
  int halves_ = algorithm_.sends_halves() ? 2 : 1;

  // The accelerators whose contributions a value includes, indexed by [coordinate][part * halves + half].
  using Values = std::vector<std::vector<std::multiset<int>>>;

  void play(Op op, Values& values) {
    for (int step = 0; step < algorithm_.steps(); ++step) {
      const Values before = values;
      for (int message = 0; message < algorithm_.messages(); ++message) {
        std::set<int> receivers;
        for (int self = 0; self < size_; ++self) {
          const auto move = algorithm_.move(op, step, message, self);
          EXPECT_TRUE(receivers.insert(move.peer).second) << "two messages meet";
          EXPECT_NE(move.peer, self);
          for (int part = move.first_part; part < move.first_part + move.parts; ++part) {
            const auto i = static_cast<std::size_t>(part * halves_ + (halves_ == 2 ? message % 2 : 0));
            const auto& sent = before.at(static_cast<std::size_t>(self)).at(i);
            auto& there = values.at(static_cast<std::size_t>(move.peer)).at(i);
            if (op == Op::kGather) there.clear();
            there.insert(sent.begin(), sent.end());
          }
        }
      }
    }
  }
};

TEST_P(AnyDimension, AddsEveryContributionOnceAndDistributesTheSum) {
  Values values(static_cast<std::size_t>(size_));
  std::multiset<int> all;
  for (int self = 0; self < size_; ++self) {
    values[static_cast<std::size_t>(self)].assign(static_cast<std::size_t>(size_ * halves_), {self});
    all.insert(self);
  }
  play(Op::kReduce, values);
  for (int self = 0; self < size_; ++self) {
    for (int half = 0; half < halves_; ++half) {
      EXPECT_EQ(values[static_cast<std::size_t>(self)][static_cast<std::size_t>(self * halves_ + half)], all);
    }
  }
  play(Op::kGather, values);
  for (const auto& node : values) {
    for (const auto& value : node) EXPECT_EQ(value, all);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, AnyDimension,
    testing::Values(std::pair{DimensionKind::kRing, 2}, std::pair{DimensionKind::kRing, 3},
                    std::pair{DimensionKind::kRing, 8}, std::pair{DimensionKind::kFullyConnected, 2},
                    std::pair{DimensionKind::kFullyConnected, 7}, std::pair{DimensionKind::kSwitch, 2},
                    std::pair{DimensionKind::kSwitch, 16}));

}  // namespace
}  // namespace coppice::schedule
