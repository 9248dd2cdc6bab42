#include "schedule/multitree/switch_search.h"

#include <gmock/gmock.h>

namespace coppice::schedule {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using topology::ChannelId;
using topology::NodeId;

// Three accelerators (0 to 2), each on one of three switches (3 to 5) in a line. Channels 0 to 5 lead from
// accelerators to switches (even) and back (odd). Channels 6 and 7 join switches 3 and 4, and channels 8 and
// 9 join switches 4 and 5.
class SwitchSearchTest : public testing::Test {
 protected:
  SwitchSearchTest() : graph_(topology::Kind::kFile, {}, 3, 3) {
    for (NodeId node = 0; node < 3; ++node) connect(node, 3 + node);
    connect(3, 4);
    connect(4, 5);
  }
  void connect(NodeId a, NodeId b) {
    graph_.add_channel(a, b, {1}, 0);
    graph_.add_channel(b, a, {1}, 0);
  }
  topology::Topology graph_;
};

TEST_F(SwitchSearchTest, FindsTheNearestWantedNode) {
  LinkAllocator links(graph_);
  links.next_step();
  SwitchSearch search(graph_, links);
  EXPECT_THAT(search.find(0, 2, [](NodeId) { return true; }), ElementsAre(0, 1));
  EXPECT_THAT(search.find(0, 2, [](NodeId node) { return node != 0; }), ElementsAre(0, 6, 3));
  EXPECT_THAT(search.find(0, 2, [](NodeId node) { return node == 2; }), ElementsAre(0, 6, 8, 5));
}

TEST_F(SwitchSearchTest, ReportsWhetherItsReachWasTooShort) {
  LinkAllocator links(graph_);
  links.next_step();
  SwitchSearch search(graph_, links);
  const auto last = [](NodeId node) { return node == 2; };
  EXPECT_THAT(search.find(0, 1, last), IsEmpty());
  EXPECT_TRUE(search.cut_short());
  EXPECT_THAT(search.find(0, 2, [](NodeId) { return false; }), IsEmpty());
  EXPECT_FALSE(search.cut_short());
}

TEST_F(SwitchSearchTest, UsesOnlyFreeChannels) {
  LinkAllocator links(graph_);
  links.next_step();
  SwitchSearch search(graph_, links);
  links.take(ChannelId{8});
  EXPECT_THAT(search.find(0, 9, [](NodeId node) { return node == 2; }), IsEmpty());
  EXPECT_FALSE(search.cut_short());
  links.next_step();
  EXPECT_THAT(search.find(0, 9, [](NodeId node) { return node == 2; }), ElementsAre(0, 6, 8, 5));
}

}  // namespace
}  // namespace coppice::schedule
