#include "system/cluster/job_statistics.h"

#include <gmock/gmock.h>

#include <span>
#include <string>
#include <vector>

#include "routing/methods.h"
#include "small_clos.h"

namespace coppice::system {
namespace {

using ::testing::ElementsAre;

constexpr Femtoseconds kMillisecond = 1'000'000'000'000;

TEST(JobStatistics, AreMeansOverIterationsAndFlows) {
  JobStatistics statistics;
  statistics.add_all_reduce(10 * kMillisecond);
  statistics.add_all_reduce(30 * kMillisecond);
  statistics.add_flow(1'000'000, kMillisecond);      // at 1 GB/s
  statistics.add_flow(6'000'000, 2 * kMillisecond);  // at 3 GB/s
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

TEST(AssignmentStatistics, AddUpTheWorkOfTheController) {
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

TEST(AssignmentStatistics, AreZeroBeforeAnythingIsAssigned) {
  const auto json = AssignmentStatistics().to_json();
  EXPECT_EQ(json["assignments"], 0);
  EXPECT_EQ(json["moved"], 0);
  EXPECT_EQ(json["seconds_mean"], 0);
  EXPECT_EQ(json["load_over_bound_mean"], 0);
  EXPECT_EQ(json["runs"].size(), 0U);
}

// Every available method assigns paths to the same flows, and no method's load is below the lower bound.
TEST(CompareMethods, ReportsTheLoadOfEveryMethod) {
  const SmallClos small;
  const routing::ClosLinks links(small.clos);
  const auto json = compare_methods(links, small.flows, 1);
  EXPECT_EQ(json["flows"], 3);
  EXPECT_EQ(json["lower_bound"], 1);
  std::vector<std::string> names;
  for (const auto& method : json["methods"]) {
    names.push_back(method["method"]);
    EXPECT_GE(method["max_load"], 1) << names.back();
    EXPECT_LE(method["max_load"], 2) << names.back();
    if (names.back() == "optimal" || names.back() == "ilp") {
      EXPECT_EQ(method["max_load"], 1);
    }
  }
  std::vector<std::string> all;
  for (const routing::MethodInfo& method : routing::methods()) all.push_back(method.name);
  EXPECT_EQ(names, all);
  // The integer program is not used for more than 64 flows.
  const std::vector<routing::Flow> many(65, small.flows[0]);
  EXPECT_EQ(compare_methods(links, many, 1)["methods"].size(), all.size() - 1);
  EXPECT_EQ(compare_methods(links, std::span(many).first(64), 1)["methods"].size(), all.size());
}

}  // namespace
}  // namespace coppice::system
