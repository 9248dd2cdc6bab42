#include "ni/memory/reduction_queues.h"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::ni {
namespace {

// A flit to add. It refers to `data`, so use it within the same full expression.
ReductionQueues::Flit add(std::size_t word, std::initializer_list<float> data) {
  return {true, word, {data.begin(), data.end()}};
}
ReductionQueues::Flit store(std::size_t word, std::initializer_list<float> data) {
  return {false, word, {data.begin(), data.end()}};
}

// A value for which the order of additions matters: in single precision, kLarge + 1 + 1 is kLarge, but 1 + 1
// + kLarge is not.
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
  EXPECT_EQ(memory[0], kLarge);  // both ones are lost by rounding
}

TEST(ReductionQueues, LetAFlitWaitForTheSumsOfItsWords) {
  std::vector<float> memory(8, 0.0F);
  ReductionQueues queues(2, 4);
  queues.take(0, add(0, {1.0F, 1.0F}), 0, memory);
  queues.take(1, add(1, {1.0F, 1.0F}), 0, memory);
  queues.advance(5, memory);
  EXPECT_EQ(memory[1], 1.0F);
  queues.advance(6, memory);
  EXPECT_EQ(memory[1], 2.0F);
}

TEST(ReductionQueues, LetOnlyAddsPassAWaitingFlit) {
  for (const bool passes : {true, false}) {
    std::vector<float> memory(8, 0.0F);
    ReductionQueues queues(2, 4);
    queues.take(0, add(0, {1.0F}), 0, memory);
    queues.take(1, add(0, {1.0F}), 0, memory);  // waits for the flit of port 0 until cycle 5
    queues.take(1, passes ? add(5, {1.0F}) : store(5, {1.0F}), 1,
                memory);  // an addition to other words passes the waiting flit; a store does not
    queues.take(1, passes ? add(5, {1.0F}) : add(6, {1.0F}), 2,
                memory);  // and later arrivals wait behind the store
    queues.advance(2, memory);
    EXPECT_EQ(memory[5], passes ? 1.0F : 0.0F);
    queues.advance(6, memory);
    EXPECT_EQ(memory[0], 2.0F);
    EXPECT_EQ(memory[6], 0.0F);
    queues.advance(7, memory);
    EXPECT_EQ(memory[5], passes ? 2.0F : 1.0F);
    queues.advance(8, memory);
    EXPECT_EQ(memory[6], passes ? 0.0F : 1.0F);
  }
}

// Two messages for the same words must not delay each other permanently. They are interleaved at one port, or
// a message at full rate overtakes one at half that rate at a lower port.
TEST(ReductionQueues, DoNotDelayAMessageForAnotherWithTheSameWords) {
  constexpr int kFlits = 1000;
  for (const bool same_port : {true, false}) {
    std::vector<float> memory(kFlits + 1, 0.0F);
    ReductionQueues queues(2, 4);
    for (int cycle = 0; cycle < 2 * kFlits; ++cycle) {
      if (same_port || cycle % 2 == 0)
        queues.take(0, add(static_cast<std::size_t>(cycle / 2), {1.0F}), cycle, memory);
      const int fast = cycle - 200;
      if (!same_port && fast >= 0 && fast < kFlits)
        queues.take(1, add(static_cast<std::size_t>(fast), {1.0F}), cycle, memory);
    }
    queues.advance(2 * kFlits + 8, memory);
    EXPECT_TRUE(queues.empty()) << same_port;
    memory.resize(kFlits);
    EXPECT_EQ(memory, std::vector<float>(kFlits, 2.0F));
  }
}

TEST(ReductionQueues, CompleteSumsThatAreAboutToBeRead) {
  std::vector<float> memory(8, 0.0F);
  ReductionQueues queues(3, 30);
  for (int port = 0; port < 3; ++port) queues.take(port, add(2, {1.0F}), 0, memory);
  queues.settle(3, 8, memory);
  EXPECT_FALSE(queues.empty());
  queues.settle(0, 3, memory);
  EXPECT_TRUE(queues.empty());
  EXPECT_EQ(memory[2], 3.0F);
}

TEST(ReductionQueues, ReadAheadWithoutPassingTime) {
  std::vector<float> memory(8, 0.0F);
  ReductionQueues queues(3, 30);
  for (int port = 0; port < 3; ++port) queues.take(port, add(2, {1.0F}), 0, memory);
  queues.advance(1, memory);
  float read = 0.0F;
  queues.read_ahead(0, 3, memory, [&] { read = memory[2]; });
  EXPECT_EQ(read, 3.0F);
  EXPECT_EQ(memory[2], 1.0F);
  queues.take(0, add(2, {1.0F}), 5, memory);  // waits for the pending additions
  queues.advance(30, memory);
  EXPECT_EQ(memory[2], 1.0F);
  queues.advance(200, memory);
  EXPECT_EQ(memory[2], 4.0F);
  queues.read_ahead(0, 8, memory, [&] { read = memory[2]; });
  EXPECT_EQ(read, 4.0F);
}

// A read-ahead returns the sums of three children. Then the parent's final value arrives while two of the
// additions are still pending.
TEST(ReductionQueues, StoreFinalValuesAfterTheirSums) {
  for (const int parent : {0, 3}) {
    std::vector<float> memory(8, 0.0F);
    ReductionQueues queues(4, 30);
    float read = 0.0F;
    const auto read_ahead = [&] { queues.read_ahead(2, 3, memory, [&] { read = memory[2]; }); };
    for (int child = 0; child < 3; ++child) queues.take(child + (parent == 0), add(2, {1.0F}), 0, memory);
    read_ahead();
    EXPECT_EQ(read, 3.0F);
    queues.take(parent, store(2, {10.0F}), 5, memory);
    read_ahead();
    EXPECT_EQ(read, 10.0F);
    queues.take(parent, add(2, {1.0F}), 6, memory);  // contributes to the next final value
    queues.take(parent == 0 ? 1 : 0, add(2, {1.0F}), 7, memory);
    read_ahead();
    EXPECT_EQ(read, 12.0F);
    queues.advance(300, memory);
    EXPECT_TRUE(queues.empty());
    EXPECT_EQ(memory[2], 12.0F);
  }
}

// Whether or not words are read ahead, memory ends up with the values that result from the order of arrival.
TEST(ReductionQueues, StoreReadAheadDataInTheOrderOfArrival) {
  rc::check([] {
    constexpr std::size_t kWords = 6;
    constexpr int kPorts = 3;
    ReductionQueues queues(kPorts, *rc::gen::inRange(1, 9));
    std::vector<float> memory(kWords, 0.0F);
    std::vector<float> expected(kWords, 0.0F);
    const int cycles = *rc::gen::inRange(1, 24);
    for (int cycle = 0; cycle < cycles; ++cycle) {
      std::vector<bool> stored(
          kWords);  // words stored in this cycle; within a cycle, only the port order decides
      for (int port = 0; port < kPorts; ++port) {
        if (*rc::gen::inRange(0, 3) == 0) continue;
        const auto word = *rc::gen::inRange<std::size_t>(0, kWords - 1);
        const bool adds = *rc::gen::inRange(0, 4) != 0;
        const auto value = static_cast<float>(*rc::gen::inRange(1, 100));
        if (stored[word] || stored[word + 1]) continue;
        if (!adds && port > 0) continue;
        if (!adds) stored[word] = stored[word + 1] = true;
        const std::array<float, 2> data{value, value};
        queues.take(port, {adds, word, data}, cycle, memory);
        for (std::size_t w = word; w < word + 2; ++w) expected[w] = adds ? expected[w] + value : value;
      }
      queues.read_ahead(0, kWords, memory, [&] { RC_ASSERT(memory == expected); });
    }
    queues.advance(10'000, memory);
    RC_ASSERT(queues.empty());
    RC_ASSERT(memory == expected);
  });
}

TEST(ReductionQueues, StoreFlitsThatTheyDoNotAdd) {
  std::vector<float> memory{5.0F};
  ReductionQueues queues(1, 4);
  queues.take(0, store(0, {2.0F}), 3, memory);
  queues.advance(4, memory);
  EXPECT_EQ(memory[0], 2.0F);
}

// The queue never runs empty and becomes longer than the number of departed flits that it keeps before
// compaction.
TEST(ReductionQueues, KeepTheOrderOfALongBacklog) {
  constexpr int kFlits = 2000;
  std::vector<float> memory(kFlits, 0.0F);
  ReductionQueues queues(2, 3);
  std::vector<float> expected(kFlits, 0.0F);
  for (int i = 0; i < kFlits; ++i) {
    // Successive flits share words, so two out of three flits must wait for the previous one.
    const auto word = static_cast<std::size_t>(i / 3);
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
