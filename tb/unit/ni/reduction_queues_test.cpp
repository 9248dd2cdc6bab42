#include "ni/reduction_queues.h"

#include <gtest/gtest.h>

namespace coppice::ni {
namespace {

// The data last as long as the call they are written in.
ReductionQueues::Flit add(std::size_t word, std::initializer_list<float> data) {
  return {true, word, {data.begin(), data.end()}};
}
ReductionQueues::Flit store(std::size_t word, std::initializer_list<float> data) {
  return {false, word, {data.begin(), data.end()}};
}

// 1 is lost in 2^24 + 1, and not in 1 + 1.
constexpr float kLarge = 0x1p24F;

TEST(ReductionQueues, AddInTheOrderOfCycles) {
  std::vector<float> memory{1.0F};
  ReductionQueues queues(2, 4);
  queues.take(1, add(0, {1.0F}), 0, memory);
  queues.take(0, add(0, {kLarge}), 1, memory);
  queues.advance(100, memory);
  EXPECT_TRUE(queues.empty());
  EXPECT_EQ(memory[0], kLarge + 2.0F);
}

TEST(ReductionQueues, AddInTheOrderOfPortsWithinACycle) {
  std::vector<float> memory{1.0F};
  ReductionQueues queues(2, 4);
  queues.take(1, add(0, {1.0F}), 0, memory);
  queues.take(0, add(0, {kLarge}), 0, memory);
  queues.advance(100, memory);
  EXPECT_EQ(memory[0], kLarge);  // both ones are lost
}

TEST(ReductionQueues, LetAFlitWaitForSumsOfItsWords) {
  std::vector<float> memory(8, 0.0F);
  ReductionQueues queues(2, 4);
  queues.take(0, add(0, {1.0F, 1.0F}), 0, memory);
  queues.take(1, add(1, {1.0F, 1.0F}), 0, memory);
  queues.take(1, add(5, {1.0F}), 1, memory);  // behind it
  queues.advance(4, memory);
  EXPECT_EQ(memory[1], 1.0F);
  EXPECT_EQ(memory[5], 0.0F);
  queues.advance(5, memory);
  EXPECT_EQ(memory[1], 2.0F);
  EXPECT_EQ(memory[5], 0.0F);
  queues.advance(6, memory);
  EXPECT_EQ(memory[5], 1.0F);
}

TEST(ReductionQueues, SettleWhatIsAboutToBeRead) {
  std::vector<float> memory(8, 0.0F);
  ReductionQueues queues(3, 30);
  for (int port = 0; port < 3; ++port) queues.take(port, add(2, {1.0F}), 0, memory);
  queues.settle(3, 8, memory);
  EXPECT_FALSE(queues.empty());
  queues.settle(0, 3, memory);
  EXPECT_TRUE(queues.empty());
  EXPECT_EQ(memory[2], 3.0F);
}

TEST(ReductionQueues, StoreWhatTheyDoNotAdd) {
  std::vector<float> memory{5.0F};
  ReductionQueues queues(1, 4);
  queues.take(0, store(0, {2.0F}), 3, memory);
  queues.advance(4, memory);
  EXPECT_EQ(memory[0], 2.0F);
}

// A queue that never empties, longer than what it keeps of flits that have left.
TEST(ReductionQueues, KeepTheOrderOfALongBacklog) {
  constexpr int kFlits = 2000;
  std::vector<float> memory(kFlits, 0.0F);
  ReductionQueues queues(2, 3);
  std::vector<float> expected(kFlits, 0.0F);
  for (int i = 0; i < kFlits; ++i) {
    const auto word = static_cast<std::size_t>(i / 3);  // waits for the one before it, twice of three times
    const auto value = static_cast<float>(i + 1);
    queues.take(0, add(word, {value, -value}), i, memory);
    expected[word] += value;
    expected[word + 1] -= value;
  }
  EXPECT_FALSE(queues.empty());
  queues.settle(0, kFlits, memory);
  EXPECT_TRUE(queues.empty());
  EXPECT_EQ(memory, expected);
}

}  // namespace
}  // namespace coppice::ni
