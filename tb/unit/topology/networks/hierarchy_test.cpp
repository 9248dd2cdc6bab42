#include "topology/networks/hierarchy.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/networks/kinds.h"
#include "topology/routing/deadlock.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Bandwidth kLink{25'000'000'000};
constexpr Femtoseconds kStep = 701;  // an odd latency, which cannot be halved exactly

DimensionSpec ring(int size, int links = 2) {
  return {DimensionKind::kRing, size, links, kLink, kStep};
}
DimensionSpec fully_connected(int size) {
  return {DimensionKind::kFullyConnected, size, size - 1, kLink, kStep};
}
DimensionSpec switched(int size, int links = 1) {
  return {DimensionKind::kSwitch, size, links, kLink, kStep};
}

Topology build(std::vector<DimensionSpec> dimensions) {
  return make_hierarchy(dimensions);
}

TEST(Hierarchy, HasASwitchForEveryGroupOfASwitchDimension) {
  const Topology topology = build({switched(2), switched(3)});
  EXPECT_EQ(topology.num_accelerators(), 6);
  EXPECT_EQ(topology.num_switches(), 3 + 2);
  EXPECT_THAT(neighbours(topology, 0), ElementsAre(6, 9));
  EXPECT_THAT(neighbours(topology, 5), ElementsAre(8, 10));
  EXPECT_THAT(neighbours(topology, 7), ElementsAre(2, 3));
  EXPECT_THAT(neighbours(topology, 10), ElementsAre(1, 3, 5));
}

TEST(Hierarchy, DividesTheLatencyOfAStepBetweenTheChannelsOfASwitch) {
  const Topology topology = build({switched(4)});
  const Channel& up = topology.channel(topology.out_channels(0)[0]);
  const Channel& down = topology.channel(topology.in_channels(0)[0]);
  EXPECT_EQ(up.latency + down.latency, kStep);
  EXPECT_LE(down.latency - up.latency, 1);
}

TEST(Hierarchy, OrdersChannelsOfRingsAndFullyConnectedGroups) {
  const Topology topology = build({ring(4), fully_connected(3)});
  EXPECT_THAT(neighbours(topology, 0), ElementsAre(1, 3, 4, 8));
  EXPECT_THAT(neighbours(topology, 7), ElementsAre(4, 6, 11, 3));
  EXPECT_EQ(topology.num_switches(), 0);
}

TEST(Hierarchy, BundlesTheLinksToOneNeighbour) {
  EXPECT_EQ(channel_bandwidth(ring(4, 6)).bytes_per_second, 3 * kLink.bytes_per_second);
  EXPECT_EQ(channel_bandwidth(switched(4, 6)).bytes_per_second, 6 * kLink.bytes_per_second);
  EXPECT_EQ(channel_bandwidth(fully_connected(8)).bytes_per_second, kLink.bytes_per_second);
  const Topology topology = build({switched(2, 4), ring(2, 4)});
  EXPECT_EQ(topology.channel(topology.out_channels(0)[0]).bandwidth, channel_bandwidth(switched(2, 4)));
  EXPECT_EQ(topology.channel(topology.out_channels(0)[2]).bandwidth, channel_bandwidth(ring(2, 4)));
}

TEST(Hierarchy, RejectsWhatCannotBeBuiltAndStatesWhatCan) {
  const auto refuses = [](const std::vector<DimensionSpec>& dimensions, const char* why) {
    EXPECT_THAT([&] { build(dimensions); }, ThrowsMessage<UnsupportedError>(HasSubstr(why)));
  };
  refuses({}, "at least one dimension");
  refuses({switched(2), switched(1)}, "dimension 1 of a hierarchy: its size is 1, but must be at least 2");
  refuses({ring(4, 3)},
          "a ring of 4 has links in 2 directions from every accelerator: 3 links cannot be divided evenly, "
          "but 4 can");
  refuses({{DimensionKind::kFullyConnected, 8, 6, kLink, 0}}, "6 links cannot be divided evenly, but 7 can");
  refuses({switched(4, 0)}, "0 links cannot be divided evenly, but 1 can");
  refuses({{DimensionKind::kSwitch, 4, 1, {0}, 0}}, "its bandwidth must be above 0");
  refuses({{DimensionKind::kSwitch, 4, 1, kLink, -1}}, "its latency must not be negative");
  refuses(std::vector<DimensionSpec>(21, switched(2)), "too large");
  EXPECT_THAT(
      [] { const Hierarchy view(sample_torus({4})); },
      ThrowsMessage<UnsupportedError>(HasSubstr("torus 4 has no dimensions that are separate networks")));
}

TEST(HierarchyRouting, NeedsTwoVirtualChannelsForARing) {
  const Topology rings = build({ring(3), switched(2)});
  EXPECT_THAT([&] { make_routing(rings, 1); }, ThrowsMessage<UnsupportedError>(HasSubstr("use 2 to 255")));
  EXPECT_NO_THROW(make_routing(build({ring(2), switched(2), fully_connected(4)}), 1));
}

TEST(HierarchyRouting, CrossesTheDimensionsInOrder) {
  const Topology topology = build({ring(4), switched(2), fully_connected(3)});
  const auto routing = make_routing(topology, 2);
  // The route goes backwards from 0 to 3 across the dateline, through a switch to 7, and directly to 23.
  EXPECT_THAT(make_route(topology, *routing, 0, 23, 0, 0),
              ElementsAre(Hop{1, {1, 2}}, Hop{2, {0, 2}}, Hop{1, {0, 2}}, Hop{4, {0, 2}}, Hop{5, {0, 2}}));
}

// Random dimensions of a hierarchy, for properties that must hold in all hierarchies.
std::vector<DimensionSpec> random_dimensions() {
  const auto count = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4));
  std::vector<DimensionSpec> dimensions;
  for (int d = 0; d < count; ++d) {
    const auto kind =
        *rc::gen::element(DimensionKind::kRing, DimensionKind::kFullyConnected, DimensionKind::kSwitch);
    const int size = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(2, 6));
    dimensions.push_back(kind == DimensionKind::kRing     ? ring(size)
                         : kind == DimensionKind::kSwitch ? switched(size)
                                                          : fully_connected(size));
    if (kind != DimensionKind::kSwitch) continue;
    dimensions.back().links = *rc::gen::inRange(1, 4);
    dimensions.back().bundled = *rc::gen::arbitrary<bool>();
    dimensions.back().planes = !dimensions.back().bundled && *rc::gen::arbitrary<bool>();
  }
  return dimensions;
}

RC_GTEST_PROP(Hierarchy, LooksTheSameFromEveryAccelerator, ()) {
  const Topology topology = build(random_dimensions());
  const Hierarchy hierarchy(topology);
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    const auto out = topology.out_channels(node);
    const auto in = topology.in_channels(node);
    RC_ASSERT(out.size() == in.size());
    for (std::size_t port = 0; port < out.size(); ++port) {
      // Incoming port p of an accelerator is connected to outgoing port p of another accelerator, or to a
      // switch of the port's dimension.
      const Channel& from = topology.channel(in[port]);
      RC_ASSERT(from.dimension == topology.channel(out[port]).dimension);
      if (topology.is_accelerator(from.src)) RC_ASSERT(from.src_port == static_cast<int>(port));
    }
    for (std::size_t d = 0; d < hierarchy.dimensions().size(); ++d) {
      const auto& dimension = hierarchy.dimensions()[d];
      const Channel& first = topology.channel(out[static_cast<std::size_t>(dimension.first_port)]);
      RC_ASSERT(first.dimension == static_cast<int>(d));
      if (dimension.kind != DimensionKind::kSwitch) continue;
      RC_ASSERT(first.dst == hierarchy.switch_of(node, d));
      RC_ASSERT(hierarchy.dimension_of_switch(first.dst) == d);
      const auto at = static_cast<std::size_t>(hierarchy.coordinate(node, d));
      RC_ASSERT(topology.channel(topology.out_channels(first.dst)[at]).dst == node);
    }
  }
}

// Each link of an accelerator to a switch is a lane unless links are bundled.
RC_GTEST_PROP(Hierarchy, HasALaneForEveryLinkToASwitch, ()) {
  const std::vector<DimensionSpec> dimensions = random_dimensions();
  const Topology topology = build(dimensions);
  const Hierarchy hierarchy(topology);
  const auto lanes = lanes_of(topology);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const DimensionSpec& spec = dimensions[d];
    const bool switched = spec.kind == DimensionKind::kSwitch;
    RC_ASSERT(lanes[d].size() == static_cast<std::size_t>(!switched ? 0 : spec.bundled ? 1 : spec.links));
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      std::set<NodeId> switches;
      for (const Lane& lane : lanes[d]) {
        const Channel& up =
            topology.channel(topology.out_channels(node)[static_cast<std::size_t>(lane.out_port)]);
        const int down = lane.first_switch_port + hierarchy.coordinate(node, d);
        RC_ASSERT(topology.channel(topology.out_channels(up.dst)[static_cast<std::size_t>(down)]).dst ==
                  node);
        switches.insert(up.dst);
      }
      RC_ASSERT(switches.size() ==
                (spec.planes ? lanes[d].size() : std::min<std::size_t>(lanes[d].size(), 1)));
    }
  }
}

RC_GTEST_PROP(HierarchyRouting, ArrivesByAShortestPathAndCannotDeadlock, ()) {
  const Topology topology = build(random_dimensions());
  const Hierarchy hierarchy(topology);
  const auto routing = make_routing(topology, *rc::gen::element(2, 3, 4));
  const auto distance = [&](NodeId src, NodeId dst) {
    std::size_t hops = 1;
    for (std::size_t d = 0; d < hierarchy.dimensions().size(); ++d) {
      const auto& dimension = hierarchy.dimensions()[d];
      const int straight = std::abs(hierarchy.coordinate(src, d) - hierarchy.coordinate(dst, d));
      if (straight == 0) continue;
      const int around = std::min(straight, dimension.size - straight);
      hops += dimension.kind == DimensionKind::kRing     ? static_cast<std::size_t>(around)
              : dimension.kind == DimensionKind::kSwitch ? 2U
                                                         : 1U;
    }
    return hops;
  };
  for (NodeId src = 0; src < topology.num_accelerators(); ++src) {
    for (NodeId dst = 0; dst < topology.num_accelerators(); ++dst) {
      for (const std::uint32_t ties : {0U, ~0U}) {
        RC_ASSERT(make_route(topology, *routing, src, dst, ties, 0).size() == distance(src, dst));
      }
    }
  }
  ChannelDependencyGraph graph(topology, routing->num_vcs());
  graph.add_all_pairs(*routing);
  RC_ASSERT(graph.find_cycle().empty());
}

TEST(Hierarchy, BoundIsTheBandwidthIntoAnAccelerator) {
  const CutBound cut = worst_cut(build({switched(4), switched(2)}));
  EXPECT_EQ(cut.data, 7);
  EXPECT_EQ(cut.bytes_per_second, 2 * kLink.bytes_per_second);
}

TEST(Hierarchy, BoundFindsTheNarrowDimension) {
  const Topology topology = make_hierarchy(
      std::vector<DimensionSpec>{switched(8, 100), {DimensionKind::kSwitch, 4, 1, {1'000'000'000}, 0}});
  const CutBound cut = worst_cut(topology);
  // The cut separates one group of 8 accelerators from the other 24. Only 8 thin links lead into this group.
  EXPECT_EQ(cut.data, 24);
  EXPECT_EQ(cut.bytes_per_second, 8'000'000'000);
}

}  // namespace
}  // namespace coppice::topology
