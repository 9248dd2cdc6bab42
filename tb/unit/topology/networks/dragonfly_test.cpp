#include "topology/networks/dragonfly.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/error.h"
#include "sample_links.h"
#include "topology/connectivity.h"
#include "topology/routing/deadlock.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The network of Figure 5 of the paper has p = h = 2, a = 4 and nine groups.
TEST(Dragonfly, ConnectsAsManyGroupsAsItsGlobalLinksReach) {
  const Topology dragonfly = sample(Kind::kDragonfly, {2, 4, 2});
  EXPECT_EQ(dragonfly.num_accelerators(), 72);
  EXPECT_EQ(dragonfly.num_switches(), 36);
  EXPECT_EQ(count_accelerators(Kind::kDragonfly, std::vector{2, 4, 2}), 72);
  // Router 1 of group 0 has links to its accelerators, to the other routers of its group, and to groups 3 and
  // 4.
  EXPECT_THAT(neighbours(dragonfly, 73), ElementsAre(2, 3, 72, 74, 75, 72 + 3 * 4 + 2, 72 + 4 * 4 + 2));
}

TEST(Dragonfly, WithFewerGroupsHasParallelGlobalLinks) {
  const Topology dragonfly = sample(Kind::kDragonfly, {1, 2, 2, 3});
  EXPECT_EQ(dragonfly.num_accelerators(), 6);
  std::map<std::pair<int, int>, int> between;
  for (const Channel& channel : dragonfly.channels()) {
    if (channel.dimension == 2) ++between[{(channel.src - 6) / 2, (channel.dst - 6) / 2}];
  }
  EXPECT_EQ(between.size(), 6);
  for (const auto& [groups, links] : between) EXPECT_EQ(links, 2);
}

std::vector<int> any_dims() {
  const auto in = [](int low, int high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  const int routers = in(1, 4);
  const int global = in(1, 3);
  std::vector<int> dims{in(1, 3), routers, global};
  if (in(0, 1) == 1) dims.push_back(in(1, routers * global + 1));
  return dims;
}

RC_GTEST_PROP(Dragonfly, LinksExistInBothDirections, ()) {
  const Topology dragonfly = sample(Kind::kDragonfly, any_dims());
  RC_ASSERT(!find_unreachable(dragonfly));
  std::map<std::pair<NodeId, NodeId>, int> links;
  for (const Channel& channel : dragonfly.channels()) ++links[{channel.src, channel.dst}];
  for (const auto& [ends, count] : links) {
    const auto back = links.find({ends.second, ends.first});
    RC_ASSERT(back != links.end() && back->second == count);
  }
}

// A route has one global channel if it leaves its group, and at most one local channel in each group.
RC_GTEST_PROP(Dragonfly, RoutesAreMinimalAndFreeOfDeadlock, ()) {
  const Topology dragonfly = sample(Kind::kDragonfly, any_dims());
  const auto routing = make_routing(dragonfly, *rc::gen::inRange(2, 6));
  ChannelDependencyGraph dependencies(dragonfly, routing->num_vcs());
  dependencies.add_all_pairs(*routing);
  RC_ASSERT(dependencies.find_cycle().empty());
  const int n = dragonfly.num_accelerators();
  const int group_size = dragonfly.dims()[0] * dragonfly.dims()[1];
  const NodeId src = *rc::gen::inRange(0, n);
  const NodeId dst = *rc::gen::inRange(0, n);
  std::string levels;
  NodeId at = src;
  for (const Hop& hop : make_route(dragonfly, *routing, src, dst, 0, 0)) {
    const auto out = dragonfly.out_channels(at);
    if (hop.out_port >= out.size()) break;
    levels += std::to_string(dragonfly.channel(out[hop.out_port]).dimension);
    at = dragonfly.channel(out[hop.out_port]).dst;
  }
  RC_ASSERT(at == dst);
  if (src == dst) {
    RC_ASSERT(levels.empty());
  } else if (src / group_size == dst / group_size) {
    RC_ASSERT(levels == "00" || levels == "010");
  } else {
    RC_ASSERT(levels == "020" || levels == "0120" || levels == "0210" || levels == "01210");
  }
}

TEST(Dragonfly, RejectsInvalidDims) {
  const auto building = [](const std::vector<int>& dims) {
    return [dims] { sample(Kind::kDragonfly, dims); };
  };
  EXPECT_THAT(building({2, 4}), ThrowsMessage<UnsupportedError>(HasSubstr("[accelerators per router")));
  EXPECT_THAT(building({0, 4, 2}), ThrowsMessage<UnsupportedError>(HasSubstr("accelerators per router")));
  EXPECT_THAT(building({2, 4, 2, 10}),
              ThrowsMessage<UnsupportedError>(HasSubstr("can connect 1 to 9 groups")));
  EXPECT_THAT(building({100, 100, 100}), ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
  const Topology dragonfly = sample(Kind::kDragonfly, {2, 4, 2});
  EXPECT_THAT([&] { make_routing(dragonfly, 1); },
              ThrowsMessage<UnsupportedError>(HasSubstr("use 2 to 255")));
}

}  // namespace
}  // namespace coppice::topology
