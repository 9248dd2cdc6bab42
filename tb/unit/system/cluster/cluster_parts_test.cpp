// The parts of a routing study, each alone: what it simulates is in route_study_test.cpp.
#include <gmock/gmock.h>

#include <string>

#include "base/error.h"
#include "support/child.h"
#include "system/cluster/host_paths.h"
#include "system/cluster/job_statistics.h"
#include "system/cluster/path_controller.h"
#include "system/cluster/route_timeline.h"
#include "system/cluster/timed_actions.h"

namespace coppice::system {
namespace {

using ::coppice::testing::in_child;
using ::testing::ElementsAre;

constexpr Femtoseconds kMillisecond = 1'000'000'000'000;

// Two accelerators at each of two ToRs, two spines.
struct SmallClos {
  topology::Topology topology =
      topology::make_clos(std::vector{2, 2, 2}, std::vector{topology::LinkSpec{{16'000'000'000}, 0}});
  topology::Clos clos{topology};
  std::vector<routing::Flow> flows{{0, 2, 0, 1, 0}, {1, 3, 0, 1, 1}, {2, 3, 1, 1, 0}};
};

TEST(Conductor, CallsInTheOrderOfTimeThenOfAsking) {
  EXPECT_EQ(in_child([]() -> std::string {
              fabric::set_time_resolution();
              fabric::Failure failure;
              Conductor conductor("conductor", failure);
              std::string order;
              conductor.at(20, [&] { order += "c"; });
              conductor.at(10, [&] {
                order += "a";
                conductor.at(20, [&] { order += "e"; });
                conductor.at(10, [&] { order += "b"; });
              });
              conductor.at(20, [&] { order += "d"; });
              conductor.at(30, [&] { order += std::to_string(Conductor::now()); });
              sc_core::sc_start(fabric::to_sc_time(100));
              failure.rethrow();
              return order;
            }),
            "abcde30");
}

TEST(Conductor, HandsOnWhatAnActionThrows) {
  EXPECT_EQ(in_child([]() -> std::string {
              fabric::set_time_resolution();
              fabric::Failure failure;
              Conductor conductor("conductor", failure);
              conductor.at(5, [] { throw ModelError("a job is lost"); });
              sc_core::sc_start(fabric::to_sc_time(100));
              try {
                failure.rethrow();
              } catch (const ModelError& error) {
                return error.what();
              }
              return "nothing";
            }),
            "a job is lost");
}

TEST(JobStatistics, TakeMeansOverIterationsAndFlows) {
  JobStatistics statistics;
  statistics.add_all_reduce(10 * kMillisecond);
  statistics.add_all_reduce(30 * kMillisecond);
  statistics.add_flow(1'000'000, kMillisecond);      // 1 GB/s
  statistics.add_flow(6'000'000, 2 * kMillisecond);  // 3 GB/s
  const auto json = statistics.to_json(0.01);
  EXPECT_DOUBLE_EQ(json["all_reduce_s"], 0.02);
  EXPECT_DOUBLE_EQ(json["slowdown"], 2);
  EXPECT_DOUBLE_EQ(json["flow_completion_s"], 0.0015);
  EXPECT_DOUBLE_EQ(json["throughput_gb_s"], 2);
  EXPECT_THAT(json["iterations_s"].get<std::vector<double>>(), ElementsAre(0.01, 0.03));
}

TEST(JobStatistics, AreZeroBeforeAnythingHappens) {
  const auto json = JobStatistics().to_json(0);
  EXPECT_EQ(json["all_reduce_s"], 0);
  EXPECT_EQ(json["slowdown"], 1);
  EXPECT_EQ(json["throughput_gb_s"], 0);
}

TEST(AssignmentStatistics, SumUpWhatTheControllerDid) {
  AssignmentStatistics statistics;
  statistics.add(4, {.spines = {}, .seconds = 0.5, .moved = 1, .max_load = 3, .lower_bound = 2});
  statistics.add(10, {.spines = {}, .seconds = 1.5, .moved = 2, .max_load = 2, .lower_bound = 2});
  const auto json = statistics.to_json();
  EXPECT_EQ(json["assignments"], 2);
  EXPECT_EQ(json["most_flows"], 10);
  EXPECT_EQ(json["moved"], 3);
  EXPECT_DOUBLE_EQ(json["seconds_mean"], 1);
  EXPECT_DOUBLE_EQ(json["seconds_max"], 1.5);
  EXPECT_DOUBLE_EQ(json["load_over_bound_mean"], 1.25);
}

TEST(HostPaths, FollowTheSpineThatIsSet) {
  const SmallClos small;
  HostPaths paths(small.clos, small.flows, 4);
  for (const int spine : {0, 1}) {
    paths.set_spine(0, spine);
    EXPECT_EQ(paths.route(0, 2), small.clos.route(0, 2, spine, 4));
  }
  EXPECT_EQ(paths.spine(1), routing::kNoSpine);
  EXPECT_EQ(paths.route(2, 3), small.clos.route(2, 3, routing::kNoSpine, 4));
}

// Messages under way keep the route that they started on.
TEST(HostPaths, KeepRoutesThatWereUsed) {
  const SmallClos small;
  HostPaths paths(small.clos, small.flows, 4);
  paths.set_spine(0, 0);
  const topology::Route& first = paths.route(0, 2);
  const topology::Route copy = first;
  paths.set_spine(0, 1);
  EXPECT_NE(paths.route(0, 2), copy);
  EXPECT_EQ(first, copy);
}

TEST(HostPaths, RefuseAPairThatIsNoFlow) {
  const SmallClos small;
  const HostPaths paths(small.clos, small.flows, 4);
  EXPECT_THROW(paths.route(0, 3), ModelError);
  EXPECT_THROW(paths.route(3, 0), ModelError);
}

TEST(Controller, SpreadsFlowsAndSaysWhatItMoved) {
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
  // Both over one spine, as they were: one of them has to move.
  const PathAnswer mended = controller.assign(small.flows, std::vector{0, 0, routing::kNoSpine});
  EXPECT_EQ(mended.max_load, 1);
  EXPECT_EQ(mended.moved, 1U);
}

TEST(Controller, LeavesAFailedSpine) {
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

TEST(RouteTimeline, TellsEventsInTheOrderOfTime) {
  RouteTimeline timeline(nullptr, {"first", "second"});
  timeline.note(3 * kMillisecond, "departure", 1);
  timeline.note(kMillisecond, "arrival", 0, {{"accelerators", 4}});
  timeline.note(2 * kMillisecond, "spine_fails", std::nullopt);
  const auto json = timeline.to_json();
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["event"], "arrival");
  EXPECT_EQ(json[0]["accelerators"], 4);
  EXPECT_DOUBLE_EQ(json[1]["time_s"], 0.002);
  EXPECT_FALSE(json[1].contains("job"));
  EXPECT_EQ(json[2]["job"], 1);
}

}  // namespace
}  // namespace coppice::system
