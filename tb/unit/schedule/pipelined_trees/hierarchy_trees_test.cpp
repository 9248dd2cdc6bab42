#include "schedule/pipelined_trees/hierarchy_trees.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;
using topology::DimensionKind;
using topology::DimensionSpec;

Machine hierarchy(const std::vector<int>& sizes, int links) {
  std::vector<DimensionSpec> dimensions;
  for (const int size : sizes) {
    dimensions.push_back({.kind = DimensionKind::kSwitch,
                          .size = size,
                          .links = links,
                          .bandwidth = {1'000'000'000},
                          .latency = 1'000'000,
                          .bundled = false});
  }
  return make_machine(topology::make_hierarchy(dimensions));
}

TEST(HierarchyTrees, HaveTheLevelsOfABinaryTreeAndShareNoChannel) {
  for (const auto& [sizes, levels] : {std::pair{std::vector{4, 4}, 4}, {{8, 2}, 4}, {{4, 4, 4}, 6}}) {
    const Machine machine = hierarchy(sizes, 4);
    const auto trees = hierarchy_trees(machine.topology, 2);
    ASSERT_THAT(trees, SizeIs(2));
    std::set<topology::ChannelId> used;
    for (const LinkedTree& tree : trees) {
      EXPECT_EQ(depth_of(tree), levels);
      EXPECT_THAT(tree.links, SizeIs(static_cast<std::size_t>(machine.topology.num_accelerators()) - 1));
      for (const TreeLink& link : tree.links) {
        for (const ChannelPath& path : {link.up, link.down}) {
          for (const topology::ChannelId id : path) EXPECT_TRUE(used.insert(id).second);
        }
      }
    }
  }
}

TEST(HierarchyTrees, CarryOverlappedAllReducesWithoutContention) {
  const Machine machine = hierarchy({4, 4}, 4);
  CompileRequest request = machine.request(Collective::kAllReduce, 16 * 256);
  request.chunks = 3;
  request.trees = TreePlacement::kEmbedded;
  for (const char* algorithm : {"double_tree", "overlapped_double_tree", "tree", "overlapped_tree"}) {
    const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
    EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free) << algorithm;
  }
}

TEST(HierarchyTrees, ReportUnmetRequirements) {
  EXPECT_THAT(
      [] {
        hierarchy_trees(hierarchy({4, 4}, 3).topology, 2);
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("has too few links to switch")));
  const std::vector<DimensionSpec> ring{
      {.kind = DimensionKind::kRing, .size = 4, .links = 2, .bandwidth = {1'000'000'000}, .latency = 0}};
  EXPECT_THAT([&] { hierarchy_trees(topology::make_hierarchy(ring), 1); },
              ThrowsMessage<UnsupportedError>(HasSubstr("hierarchies of switches, not on a ring")));
}

}  // namespace
}  // namespace coppice::schedule
