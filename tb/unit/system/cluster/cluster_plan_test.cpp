#include "system/cluster/cluster_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// A plan for a Clos network with four spines and eight ToRs of four accelerators each.
ClusterPlan plan(const std::vector<std::string>& overrides) {
  return plan_cluster(load_system("routing/cross_check", overrides, config::Purpose::kRoute));
}

void refuses(const std::vector<std::string>& overrides, const std::string& key, const std::string& why) {
  EXPECT_THAT([&] { plan(overrides); }, ThrowsMessage<ConfigError>(AllOf(HasSubstr(key), HasSubstr(why))));
}

TEST(ClusterPlan, HasRingsAndFlowsForEveryJob) {
  const ClusterPlan planned =
      plan({"routing.jobs=[{copy: 3, data_parallel: 4, gradient: 1 MiB, compute: 10 us}, "
            "{copy: 2, data_parallel: 2, gradient: 12 B, compute: 1 us, arrival: 7 us}]"});
  ASSERT_THAT(planned.jobs, SizeIs(2));
  std::set<topology::NodeId> placed;
  for (std::size_t j = 0; j < 2; ++j) {
    const PlannedJob& job = planned.jobs[j];
    EXPECT_THAT(job.rings, SizeIs(job.copy));
    EXPECT_THAT(job.flows, SizeIs(job.copy * job.replicas));
    std::size_t flow = 0;
    for (const auto& ring : job.rings) {
      ASSERT_THAT(ring, SizeIs(job.replicas));
      for (std::size_t i = 0; i < ring.size(); ++i, ++flow) {
        const routing::Flow expected{ring[i], ring[(i + 1) % ring.size()], ring[i] / 4,
                                     ring[(i + 1) % ring.size()] / 4, static_cast<int>(j)};
        EXPECT_EQ(job.flows[flow], expected);
        EXPECT_TRUE(placed.insert(ring[i]).second) << ring[i] << " is in two rings";
      }
    }
  }
  EXPECT_EQ(planned.jobs[0].message, 256 * 1024);
  // Three elements are split into two parts, and `message` is the size of the larger part.
  EXPECT_EQ(planned.jobs[1].message, 8);
  EXPECT_EQ(planned.jobs[1].arrival, 7'000'000'000);
  EXPECT_EQ(planned.jobs[1].name, "custom");
}

TEST(ClusterPlan, ChoosesArrivalsWithinTheirWindow) {
  std::set<Femtoseconds> drawn;
  for (int seed = 1; seed < 20; ++seed) {
    const ClusterPlan planned =
        plan({"routing.jobs=[{copy: 1, data_parallel: 2, gradient: 1 MiB, compute: 10 us}]",
              "routing.arrival_window=30 us", "seed=" + std::to_string(seed)});
    const Femtoseconds arrival = planned.jobs[0].arrival;
    EXPECT_GE(arrival, 0);
    EXPECT_LT(arrival, 30'000'000'000);
    drawn.insert(arrival);
  }
  EXPECT_THAT(drawn, SizeIs(::testing::Gt(15U)));
}

// If a job is added to a configuration, the arrival times of the jobs before it stay the same.
TEST(ClusterPlan, KeepsArrivalsIfJobsAreAdded) {
  const std::string job = "{copy: 1, data_parallel: 2, gradient: 1 MiB, compute: 10 us}";
  const ClusterPlan one = plan({"routing.jobs=[" + job + "]", "routing.arrival_window=1 s"});
  const ClusterPlan two = plan({"routing.jobs=[" + job + ", " + job + "]", "routing.arrival_window=1 s"});
  EXPECT_EQ(one.jobs[0].arrival, two.jobs[0].arrival);
  EXPECT_NE(two.jobs[0].arrival, two.jobs[1].arrival);
}

TEST(ClusterPlan, ChoosesModelsFromTheList) {
  const auto planned = plan_cluster(load_system(
      "routing/paper", {"routing.jobs=[{model: gpt3, data_parallel: 2}]"}, config::Purpose::kRoute));
  const PlannedJob& job = planned.jobs[0];
  EXPECT_EQ(job.name, "gpt3");
  EXPECT_GT(job.copy, 1);
  EXPECT_GT(job.compute, 0);
  EXPECT_NEAR(static_cast<double>(job.message), static_cast<double>(job.gradient) / 2, 4);
}

// In addition to the spines in failed_spines, random_failures distinct spines fail.
TEST(ClusterPlan, ChoosesFailedSpines) {
  std::set<std::set<int>> drawn;
  for (int seed = 1; seed < 30; ++seed) {
    const ClusterPlan planned = plan(
        {"routing.random_failures=2", "system.topology.failed_spines=[1]", "seed=" + std::to_string(seed)});
    const std::set<int> failed(planned.failed_spines.begin(), planned.failed_spines.end());
    EXPECT_THAT(failed, SizeIs(3)) << "seed " << seed;
    EXPECT_TRUE(failed.contains(1));
    for (const int spine : failed) {
      EXPECT_THAT(planned.topology.out_channels(planned.topology.num_accelerators() + 8 + spine), SizeIs(0));
    }
    drawn.insert(failed);
  }
  EXPECT_THAT(drawn, SizeIs(3));
  refuses({"routing.random_failures=4"}, "routing.random_failures",
          "4 random failures leave none of the 4 working spines");
  refuses({"routing.random_failures=3", "system.topology.failed_spines=[1]"}, "routing.random_failures",
          "leave none of the");
}

TEST(ClusterPlan, RejectsInvalidPlans) {
  refuses({"system.topology.kind=torus", "system.topology.dims=[4, 4]"}, "system.topology.kind",
          "a routing study needs clos, not torus");
  refuses({"routing.host=3"}, "routing.host",
          "a ToR's 4 accelerators cannot be divided evenly into hosts of 3");
  refuses(
      {"routing.jobs=[{copy: 8, data_parallel: 2, gradient: 1 MiB, compute: 1 us}, "
       "{copy: 9, data_parallel: 2, gradient: 1 MiB, compute: 1 us}]"},
      "routing.jobs[1]",
      "too few hosts are free (accelerators of the network: 32, accelerators per host: 1, earlier jobs: 1)");
  refuses({"routing.jobs=[{copy: 1, data_parallel: 4, gradient: 12 B, compute: 1 us}]"}, "routing.jobs[0]",
          "less than one element for each of 4 replicas");
  refuses({"routing.failures=[{spine: 3, at: 1 us}, {spine: 4, at: 1 us}]"}, "routing.failures[1]",
          "spine 4 does not exist: the spines are 0 to 3");
}

}  // namespace
}  // namespace coppice::system
