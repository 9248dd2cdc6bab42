#include "system/cluster/flow_paths.h"

#include <gmock/gmock.h>

#include <utility>

#include "base/error.h"
#include "small_clos.h"

namespace coppice::system {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A fabric that records the changes that it is asked to make.
struct RecordingFabric final : fabric::RouteChanges {
  void reroute(topology::NodeId node, int /*port*/, topology::NodeId dst,
               const topology::Route& /*route*/) override {
    rerouted.emplace_back(node, dst);
  }
  void set_channel(topology::ChannelId channel, bool alive) override {
    channels.emplace_back(channel, alive);
  }

  std::vector<std::pair<topology::NodeId, topology::NodeId>> rerouted;
  std::vector<std::pair<topology::ChannelId, bool>> channels;
};

// Two jobs. The first has flows 0 and 2, one in each direction between the ToRs. The second has flow 1, which
// stays within a ToR.
struct TwoJobs {
  explicit TwoJobs(Bytes message = 1'000'000'000, int vcs = 4)
      : plan{small.topology,
             {},
             {job(message, {small.flows[0], small.flows[2]}), job(message, {small.flows[1]})}},
        paths(config, 1, vcs, small.clos, plan) {
    paths.attach(&fabric);
  }
  static PlannedJob job(Bytes message, std::vector<routing::Flow> flows) {
    PlannedJob job;
    job.name = "job";
    job.message = message;
    job.flows = std::move(flows);
    return job;
  }
  int spine(std::size_t flow) const { return paths.table().spine(flow); }

  SmallClos small;
  config::RoutingConfig config;
  ClusterPlan plan;
  RecordingFabric fabric;
  FlowPaths paths;
};

TEST(FlowPaths, AreHashedUntilTheControllerSeparatesThem) {
  TwoJobs two;
  two.paths.begin(0);
  two.paths.begin(1);
  EXPECT_GE(two.spine(0), 0);
  EXPECT_GE(two.spine(2), 0);
  EXPECT_EQ(two.spine(1), routing::kNoSpine);
  const auto decision = two.paths.decide();
  EXPECT_THAT(decision.flows, SizeIs(3));
  EXPECT_EQ(decision.answer.max_load, 1);
  two.paths.apply(decision);
  EXPECT_NE(two.spine(0), two.spine(2));
  EXPECT_THAT(two.fabric.rerouted, Contains(std::pair(0, 2)));
  EXPECT_THAT(two.fabric.rerouted, Contains(std::pair(1, 3)));
}

TEST(FlowPaths, OfFinishedJobsRemain) {
  TwoJobs two;
  two.paths.begin(0);
  const int hashed = two.spine(0);
  auto decision = two.paths.decide();
  for (int& spine : decision.answer.spines) spine = 1 - hashed;
  two.paths.end(0);
  EXPECT_FALSE(two.paths.any_communicates());
  two.paths.apply(decision);
  EXPECT_EQ(two.spine(0), hashed);
}

TEST(FlowPaths, OfSmallMessagesAreNotSetByTheController) {
  TwoJobs two(1);
  two.paths.begin(0);
  EXPECT_FALSE(two.paths.controlled(0));
  EXPECT_THAT(two.paths.decide().flows, IsEmpty());
}

TEST(FlowPaths, AvoidAFailedSpine) {
  TwoJobs two;
  two.paths.begin(0);
  two.paths.begin(1);
  two.paths.apply(two.paths.decide());
  two.paths.fail(0);
  EXPECT_THAT(two.fabric.channels, SizeIs(4));
  EXPECT_THAT(two.fabric.channels, Contains(std::pair(two.small.clos.up(1, 0), false)));
  const FlowPaths::Fallback fallback = two.paths.fall_back(0);
  EXPECT_EQ(fallback.moved, 1);
  EXPECT_TRUE(fallback.communicates);
  EXPECT_EQ(two.spine(0), 1);
  EXPECT_EQ(two.spine(2), 1);
  two.paths.fail(1);
  EXPECT_THROW(two.paths.fall_back(1), ModelError);
  EXPECT_THROW(two.paths.decide(), ModelError);
}

// Without a fabric of flows, messages keep the path on which they started, so spines must not fail during the
// run.
TEST(FlowPaths, NeedFlowsForFailedSpines) {
  TwoJobs two;
  two.paths.attach(nullptr);
  two.paths.begin(0);
  EXPECT_GE(two.spine(0), 0);
  EXPECT_THAT(two.fabric.rerouted, IsEmpty());
  EXPECT_THROW(two.paths.fail(0), ModelError);
}

}  // namespace
}  // namespace coppice::system
