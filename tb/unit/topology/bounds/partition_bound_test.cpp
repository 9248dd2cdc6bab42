#include "topology/bounds/partition_bound.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "random_topology.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/networks/hierarchy.h"

namespace coppice::topology {
namespace {

using Mask = std::uint32_t;

constexpr std::int64_t kLink = kSampleLink.bandwidth.bytes_per_second;

// The minimum bandwidth into or out of `group`. Any set of switches may be counted as part of the group.
std::int64_t passage(const Topology& topology, Mask group, Direction direction) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (Mask switches = 0; switches < Mask{1} << topology.num_switches(); ++switches) {
    const Mask inside = group | (switches << topology.num_accelerators());
    const auto has = [&](NodeId node) { return ((inside >> node) & 1U) != 0; };
    std::int64_t sum = 0;
    for (const Channel& channel : topology.channels()) {
      const NodeId from = direction == Direction::kOut ? channel.src : channel.dst;
      const NodeId to = direction == Direction::kOut ? channel.dst : channel.src;
      if (has(from) && !has(to)) sum += channel.bandwidth.bytes_per_second;
    }
    least = std::min(least, sum);
  }
  return least;
}

// Visits all partitions that result from adding the accelerators from `next` on to existing or new groups.
void for_each_partition(int accelerators, NodeId next, std::vector<Mask>& groups,
                        const std::function<void()>& visit) {
  if (next == accelerators) {
    visit();
    return;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g] |= Mask{1} << next;
    for_each_partition(accelerators, next + 1, groups, visit);
    groups[g] &= ~(Mask{1} << next);
  }
  groups.push_back(Mask{1} << next);
  for_each_partition(accelerators, next + 1, groups, visit);
  groups.pop_back();
}

struct Ratio {
  std::int64_t bytes_per_second = 0;
  std::int64_t joints = 1;
};

bool less(const Ratio& a, const Ratio& b) {
  return a.bytes_per_second * b.joints < b.bytes_per_second * a.joints;
}

Ratio best_of_all(const Topology& topology, Direction direction) {
  std::vector<std::int64_t> passages;
  for (Mask group = 0; group < Mask{1} << topology.num_accelerators(); ++group) {
    passages.push_back(passage(topology, group, direction));
  }
  Ratio best{std::numeric_limits<std::int32_t>::max() * std::int64_t{1000}, 1};
  std::vector<Mask> groups;
  for_each_partition(topology.num_accelerators(), 0, groups, [&] {
    if (groups.size() < 2) return;
    Ratio here{0, static_cast<std::int64_t>(groups.size()) - 1};
    for (const Mask group : groups) here.bytes_per_second += passages[group];
    if (less(here, best)) best = here;
  });
  return best;
}

RC_GTEST_PROP(WeakestPartition, EqualsTheBestOfAllPartitions, ()) {
  const Topology topology = random_topology();
  const std::int64_t narrowest = narrowest_cut(topology).bytes_per_second;
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    const Ratio expected = best_of_all(topology, direction);
    const Partition partition = weakest_partition(topology, direction);
    const Ratio found{partition.bytes_per_second, partition.joints()};
    RC_ASSERT(!less(found, expected));
    RC_ASSERT(!less(expected, found));
    // The reported groups must have the reported ratio.
    std::int64_t sum = 0;
    Mask all = 0;
    for (const auto& group : partition.groups) {
      Mask mask = 0;
      for (const NodeId node : group) mask |= Mask{1} << node;
      RC_ASSERT(std::ranges::is_sorted(group));
      RC_ASSERT((all & mask) == 0U);
      all |= mask;
      sum += passage(topology, mask, direction);
    }
    RC_ASSERT(all == (Mask{1} << topology.num_accelerators()) - 1);
    RC_ASSERT(sum == partition.bytes_per_second);

    const Partition below = weakest_partition_below(topology, direction, narrowest);
    RC_ASSERT(below.groups.empty() == !less(expected, {2 * narrowest, 1}));
    if (below.groups.empty()) continue;
    RC_ASSERT(!less(expected, {below.bytes_per_second, below.joints()}));
  }
}

TEST(WeakestPartition, OfAMeshSeparatesAllAccelerators) {
  const Partition partition = weakest_partition(sample_mesh({8, 8}), Direction::kOut);
  EXPECT_EQ(partition.groups.size(), 64U);
  EXPECT_EQ(partition.bytes_per_second, 2 * 112 * kLink);
}

TEST(WeakestPartition, SeparatesGroupsAtSlowLinks) {
  const std::vector<LinkSpec> links{{{kLink}, 0}, {{kLink / 1000}, 0}};
  const Partition partition = weakest_partition(make_mesh(std::vector{4, 3}, links), Direction::kOut);
  EXPECT_EQ(partition.groups, (std::vector<std::vector<NodeId>>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(partition.bytes_per_second, 4 * 4 * (kLink / 1000));
}

TEST(WeakestPartition, KeepsSwitchesThatAddWithTheirAccelerators) {
  const std::vector<DimensionSpec> dimensions{
      {.kind = DimensionKind::kSwitch, .size = 4, .bandwidth = {kLink}, .in_network = true},
      {.kind = DimensionKind::kRing, .size = 3, .links = 2, .bandwidth = {kLink}}};
  const Partition partition = weakest_partition(make_hierarchy(dimensions), Direction::kOut);
  EXPECT_EQ(partition.groups, (std::vector<std::vector<NodeId>>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(partition.bytes_per_second, 3 * 4 * 2 * kLink);
}

TEST(WeakestPartition, OfOneAcceleratorHasNoGroups) {
  EXPECT_TRUE(weakest_partition(sample_torus({1}), Direction::kOut).groups.empty());
}

}  // namespace
}  // namespace coppice::topology
