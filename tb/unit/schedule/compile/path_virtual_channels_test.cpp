#include "schedule/compile/path_virtual_channels.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "topology/routing/deadlock.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::VcRange;

// Three accelerators (0 to 2), each connected to one of three switches (3 to 5) that form a one-way ring.
topology::Topology one_way_ring() {
  topology::Topology graph(topology::Kind::kFile, {}, 3, 3);
  for (NodeId node = 0; node < 3; ++node) graph.add_channel(node, 3 + node, {1}, 0);  // channels 0 to 2
  for (NodeId node = 0; node < 3; ++node) graph.add_channel(3 + node, node, {1}, 0);  // channels 3 to 5
  for (NodeId node = 0; node < 3; ++node)
    graph.add_channel(3 + node, 3 + (node + 1) % 3, {1}, 0);  // channels 6 to 8
  return graph;
}

TEST(PathLayers, ChangesTheLayerIfAPathWouldCloseACycle) {
  const topology::Topology graph = one_way_ring();
  const std::vector<ChannelPath> paths{{0, 6, 7, 5}, {1, 7, 8, 3}, {2, 8, 6, 4}};
  const VcRange all{0, 4};
  const VcRange low{0, 2};
  const VcRange high{2, 4};
  EXPECT_EQ(assign_vcs(graph, paths, 4),
            (PathVcs{{all, low, low, all}, {all, low, low, all}, {all, low, high, all}}));
}

TEST(PathLayers, AcyclicPathsUseAllVirtualChannels) {
  const topology::Topology graph = one_way_ring();
  const std::vector<ChannelPath> paths{{0, 6, 7, 5}, {1, 7, 5}};
  const VcRange all{0, 3};
  EXPECT_EQ(assign_vcs(graph, paths, 3), (PathVcs{{all, all, all, all}, {all, all, all}}));
}

TEST(PathLayers, RejectsTooFewVirtualChannels) {
  const topology::Topology graph = one_way_ring();
  const std::vector<ChannelPath> paths{{0, 6, 7, 5}, {1, 7, 8, 3}, {2, 8, 6, 4}};
  EXPECT_THAT([&] { assign_vcs(graph, paths, 1); },
              testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("need 2 virtual channels")));
}

RC_GTEST_PROP(PathLayers, AreFreeOfDeadlock, ()) {
  const Machine machine = random_graph(*rc::gen::inRange(2, 8), *rc::gen::inRange(2, 6), 8);
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 4096);
  topology::ChannelDependencyGraph graph(machine.topology, 4);
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    graph.add_route(node, schedule.routes[static_cast<std::size_t>(entry.route)]);
  });
  RC_ASSERT(graph.find_cycle().empty());
}

}  // namespace
}  // namespace coppice::schedule
