#include "system/cluster/path_controller.h"

#include <gmock/gmock.h>

#include <vector>

#include "routing/instance.h"
#include "small_clos.h"

namespace coppice::system {
namespace {

TEST(Controller, DistributesFlowsAndReportsWhatItMoved) {
  const SmallClos small;
  config::RoutingConfig config;
  config.method = "optimal";
  Controller controller(config, routing::ClosLinks(small.clos), 1);
  const std::vector<int> none(small.flows.size(), routing::kNoSpine);
  const PathAnswer answer = controller.assign(small.flows, none);
  EXPECT_EQ(answer.max_load, 1);
  EXPECT_EQ(answer.lower_bound, 1);
  EXPECT_EQ(answer.moved, 0U);
  EXPECT_NE(answer.spines[0], answer.spines[1]);
  // Both flows currently use spine 0, so one of them has to move.
  const PathAnswer mended = controller.assign(small.flows, std::vector{0, 0, routing::kNoSpine});
  EXPECT_EQ(mended.max_load, 1);
  EXPECT_EQ(mended.moved, 1U);
}

TEST(Controller, AvoidsAFailedSpine) {
  const SmallClos small;
  for (const char* method : {"greedy", "optimal", "ecmp"}) {
    config::RoutingConfig config;
    config.method = method;
    Controller controller(config, routing::ClosLinks(small.clos), 1);
    controller.fail_spine(1);
    const PathAnswer answer =
        controller.assign(small.flows, std::vector<int>(small.flows.size(), routing::kNoSpine));
    EXPECT_EQ(answer.spines[0], 0) << method;
    EXPECT_EQ(answer.spines[1], 0) << method;
    EXPECT_EQ(controller.hashed(small.flows[0]), 0) << method;
    EXPECT_EQ(controller.hashed(small.flows[2]), routing::kNoSpine) << method;
  }
}

// The spine that a hash selects depends only on the flow, not on earlier assignments.
TEST(Controller, HashesFlowsTheSameEveryTime) {
  const SmallClos small;
  config::RoutingConfig config;
  config.method = "greedy";
  const Controller one(config, routing::ClosLinks(small.clos), 7);
  Controller other(config, routing::ClosLinks(small.clos), 7);
  other.assign(small.flows, std::vector<int>(small.flows.size(), routing::kNoSpine));
  for (const routing::Flow& flow : small.flows) {
    EXPECT_EQ(one.hashed(flow), other.hashed(flow));
    EXPECT_EQ(one.hashed(flow) == routing::kNoSpine, flow.local());
  }
}

TEST(Controller, CannotRouteWithoutSpines) {
  const SmallClos small;
  for (const char* method : {"greedy", "optimal", "ecmp", "edge_coloring"}) {
    config::RoutingConfig config;
    config.method = method;
    Controller controller(config, routing::ClosLinks(small.clos), 1);
    controller.fail_spine(0);
    controller.fail_spine(1);
    EXPECT_FALSE(controller.links().up(0, 0));
    EXPECT_THROW(controller.assign(small.flows, std::vector<int>(3, routing::kNoSpine)),
                 routing::UnroutableError)
        << method;
  }
}

// A flow's first assignment to a spine does not count as a move.
TEST(Controller, CountsOnlyMovesOfKnownFlows) {
  const SmallClos small;
  config::RoutingConfig config;
  config.method = "ecmp";
  Controller controller(config, routing::ClosLinks(small.clos), 3);
  const std::vector<int> none(small.flows.size(), routing::kNoSpine);
  const PathAnswer first = controller.assign(small.flows, none);
  EXPECT_EQ(first.moved, 0U);
  EXPECT_EQ(controller.assign(small.flows, first.spines).moved, 0U);
  EXPECT_EQ(controller.assign(small.flows, std::vector{1 - first.spines[0], routing::kNoSpine, -1}).moved,
            1U);
  EXPECT_GE(first.seconds, 0);
}

}  // namespace
}  // namespace coppice::system
