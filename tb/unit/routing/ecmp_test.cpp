#include "routing/ecmp.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

// The expected values were computed with zlib's crc32() over the seed and the 5-tuple (17 bytes).
TEST(HashTuple, IsCrc32OfTheTupleInNetworkOrder) {
  const FiveTuple tuple{.src_address = 0x0A000001, .dst_address = 0x0A000002, .src_port = 0xC000};
  EXPECT_EQ(hash_tuple(tuple, 0), 0xf3175078U);
  EXPECT_EQ(hash_tuple(tuple, 7), 0x96dafab8U);
}

TEST(NicAddress, CountsWithinTheTensNetwork) {
  EXPECT_EQ(nic_address(0), 0x0A000001);
  EXPECT_EQ(nic_address(2047), 0x0A000800);
}

TEST(Ecmp, KeepsAPairOnItsPath) {
  const Instance instance{ClosLinks(64, 32), random_rings(64, 4, 1)};
  const Assignment spines = Ecmp(1).assign(instance.links, instance.flows);
  for (std::size_t i = 0; i < spines.size(); ++i) {
    if (instance.flows[i].local()) continue;
    const Assignment alone = Ecmp(1).assign(instance.links, std::span(&instance.flows[i], 1));
    EXPECT_EQ(alone.front(), spines[i]);
  }
  EXPECT_NE(Ecmp(2).assign(instance.links, instance.flows), spines);
}

// Each of 32 spines should get 100 of 3,200 flows, with a standard deviation of 10.
TEST(Ecmp, SpreadsEvenly) {
  std::vector<Flow> flows;
  for (int i = 0; i < 3200; ++i) flows.push_back({.src = i % 32, .dst = 100 + i, .src_tor = 0, .dst_tor = 1});
  std::vector<int> on(32, 0);
  for (const int spine : Ecmp(1).assign(ClosLinks(2, 32), flows)) ++on[static_cast<std::size_t>(spine)];
  for (const int count : on) {
    EXPECT_GT(count, 50);
    EXPECT_LT(count, 150);
  }
}

}  // namespace
}  // namespace coppice::routing
