#include "fabric/flits/node_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace coppice::fabric {
namespace {

// A barrier separates rounds: without locks, each group sees in one round what the other groups wrote in the
// previous round.
TEST(NodeThreads, SeeTheWorkOfOthersInThePreviousRound) {
  constexpr int kGroups = 4;
  constexpr int kRounds = 1000;
  NodeThreads threads(kGroups);
  std::vector<int> now(kGroups, 0);
  std::vector<int> before(kGroups, 0);
  for (int round = 0; round < kRounds; ++round) {
    threads.run([&](int group) {
      now[static_cast<std::size_t>(group)] = 1 + *std::max_element(before.begin(), before.end());
    });
    before = now;
  }
  EXPECT_EQ(before, std::vector<int>(kGroups, kRounds));
}

TEST(NodeThreads, ThrowTheExceptionOfTheFirstGroup) {
  NodeThreads threads(3);
  for (int i = 0; i < 20; ++i) {
    try {
      threads.run([](int group) {
        if (group > 0) throw std::runtime_error(std::to_string(group));
      });
      FAIL() << "no exception was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "1");
    }
  }
}

}  // namespace
}  // namespace coppice::fabric
