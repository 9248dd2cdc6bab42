#include "ni/memory/gradient_memory.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "base/error.h"

namespace coppice::ni {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::shared_ptr<const std::vector<Bytes>> boundaries(std::vector<Bytes> at) {
  return std::make_shared<const std::vector<Bytes>>(std::move(at));
}

TEST(ValueMemory, AddsInSinglePrecision) {
  ValueMemory memory({1.0F, 0x1p24F});
  memory.reduce(0, 8, {{2.5F, 1.0F}, {}});
  EXPECT_THAT(memory.values(), ElementsAre(3.5F, 0x1p24F));
}

TEST(ContributionMemory, StartsWithItsOwnGradient) {
  const ContributionMemory memory(boundaries({0, 8, 20}), 70, 65);
  ASSERT_EQ(memory.segments(), 2U);
  EXPECT_THAT(memory.contributions(1), ElementsAre(0U, 2U));
}

TEST(ContributionMemory, UnitesTheContributionsItReduces) {
  ContributionMemory mine(boundaries({0, 8, 20}), 4, 0);
  ContributionMemory other(boundaries({0, 8, 20}), 4, 2);
  mine.reduce(8, 12, other.copy(8, 12));
  EXPECT_THAT(mine.contributions(0), ElementsAre(0b0001U));
  EXPECT_THAT(mine.contributions(1), ElementsAre(0b0101U));
}

TEST(ContributionMemory, RejectsAContributionThatIsAddedTwice) {
  ContributionMemory mine(boundaries({0, 8, 20}), 100, 0);
  const ContributionMemory other(boundaries({0, 8, 20}), 100, 77);
  mine.reduce(8, 12, other.copy(8, 12));
  EXPECT_THAT([&] { mine.reduce(0, 20, other.copy(0, 20)); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("accelerator 77's contribution"),
                                              HasSubstr("at address 8 is added twice"))));
}

TEST(ContributionMemory, OverwritesWhenItStores) {
  ContributionMemory mine(boundaries({0, 8}), 4, 0);
  const ContributionMemory other(boundaries({0, 8}), 4, 2);
  mine.store(0, 8, other.copy(0, 8));
  EXPECT_THAT(mine.contributions(0), ElementsAre(0b0100U));
}

TEST(ContributionMemory, StartsAllGathersFromFinalValues) {
  ContributionMemory memory(boundaries({0, 8, 16}), 66, 1);
  memory.set_all(0);
  memory.clear(1);
  EXPECT_THAT(memory.contributions(0), ElementsAre(~std::uint64_t{0}, 0b11U));
  EXPECT_THAT(memory.contributions(1), ElementsAre(0U, 0U));
}

TEST(ContributionMemory, RejectsAddressesBetweenBoundaries) {
  const ContributionMemory memory(boundaries({0, 8, 16}), 4, 0);
  EXPECT_THAT([&] { (void)memory.copy(4, 12); },
              ThrowsMessage<ModelError>(HasSubstr("address 4 is not a message boundary")));
}

// After every other accelerator's gradient has been added once, in any order, the set of contributions is
// complete.
RC_GTEST_PROP(ContributionMemory, IsCompleteOnceEveryAcceleratorHasContributed, (std::uint16_t seed)) {
  const int accelerators = 1 + seed % 150;
  ContributionMemory sum(boundaries({0, 4}), accelerators, 0);
  std::vector<int> order;
  for (int a = 1; a < accelerators; ++a) order.push_back(a);
  std::reverse(order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2), order.end());
  for (const int a : order)
    sum.reduce(0, 4, ContributionMemory(boundaries({0, 4}), accelerators, a).copy(0, 4));
  int members = 0;
  for (const auto word : sum.contributions(0)) members += std::popcount(word);
  RC_ASSERT(members == accelerators);
}

// The search for a segment assumes equally spaced boundaries at first, so irregular distances test its
// correction.
RC_GTEST_PROP(ContributionMemory, FindsAddressesAtAnyDistance, ()) {
  const auto gaps =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<Bytes>>(rc::gen::element<Bytes>(4, 4, 8, 400)));
  std::vector<Bytes> at{0};
  for (const Bytes gap : gaps) at.push_back(at.back() + gap);
  const std::size_t first = *rc::gen::inRange<std::size_t>(0, gaps.size());
  const std::size_t last = *rc::gen::inRange(first, gaps.size()) + 1;
  ContributionMemory mine(boundaries(at), 3, 0);
  const ContributionMemory other(boundaries(at), 3, 1);
  mine.reduce(at[first], at[last] - at[first], other.copy(at[first], at[last] - at[first]));
  for (std::size_t s = 0; s < gaps.size(); ++s) {
    RC_ASSERT(mine.contributions(s).front() == (s >= first && s < last ? 0b011U : 0b001U));
  }
  ContributionMemory sampled(boundaries(at), 3, 0, ContributionMemory::Segments::kSampledElements);
  const ContributionMemory drawn(boundaries(at), 3, 1, ContributionMemory::Segments::kSampledElements);
  const Bytes begin = *rc::gen::inRange<Bytes>(0, at.back() + 1);
  const Bytes end = *rc::gen::inRange<Bytes>(begin, at.back() + 9);
  sampled.reduce(begin, end - begin, drawn.copy(begin, end - begin));
  for (std::size_t s = 0; s < at.size(); ++s) {
    RC_ASSERT(sampled.contributions(s).front() == (at[s] >= begin && at[s] < end ? 0b011U : 0b001U));
  }
}

TEST(NullMemory, KeepsNothing) {
  NullMemory memory;
  const Payload payload = memory.copy(0, 1 << 20);
  EXPECT_TRUE(payload.values.empty());
  EXPECT_TRUE(payload.contributions.empty());
  EXPECT_NO_THROW(memory.reduce(0, 4, payload));
  EXPECT_NO_THROW(memory.store(0, 4, payload));
}

TEST(ContributionMemory, KeepsTheSampledElementsOfAMessage) {
  constexpr auto kSampled = ContributionMemory::Segments::kSampledElements;
  ContributionMemory mine(boundaries({4, 20, 36}), 4, 0, kSampled);
  const ContributionMemory other(boundaries({4, 20, 36}), 4, 2, kSampled);
  ASSERT_EQ(mine.segments(), 3U);
  mine.reduce(8, 24, other.copy(8, 24));  // of the sampled elements, bytes 8 to 31 contain only the one at 20
  EXPECT_EQ(mine.contributions(0)[0], 0b0001U);
  EXPECT_EQ(mine.contributions(1)[0], 0b0101U);
  EXPECT_EQ(mine.contributions(2)[0], 0b0001U);
  EXPECT_NO_THROW(mine.reduce(8, 12, other.copy(8, 12)));  // contains no sampled element
  EXPECT_THROW(mine.reduce(20, 4, other.copy(20, 4)), ModelError);
}

}  // namespace
}  // namespace coppice::ni
