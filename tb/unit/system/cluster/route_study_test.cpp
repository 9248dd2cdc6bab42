// Runs complete routing studies through run_route_study().
#include "system/cluster/route_study.h"
#include "support/shipped_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

nlohmann::ordered_json study(const std::string& name, const std::vector<std::string>& overrides,
                             bool measures_fluid_error = false) {
  const auto loaded = config::load(testing::shipped_config("systems/routing/" + name + ".yaml"), overrides,
                                   config::Purpose::kRoute);
  RunOptions options;
  options.measures_fluid_error = measures_fluid_error;
  return run_in_child([&] { return run_route_study(loaded, options); }, nullptr);
}

// One BLOOM job with two replicas in an otherwise empty network. Each ring sends 7.333 GB twice at 12.5 GB/s,
// which takes 1.173 s.
TEST(RouteStudy, ALoneJobTakesItsIdealTime) {
  const auto result = study(
      "paper", {"routing.jobs=[{model: bloom, data_parallel: 2, arrival: 1 s}]", "routing.iterations=2"});
  const auto& job = result["jobs"][0];
  EXPECT_NEAR(job["ideal_s"], 1.17333, 1e-5);
  EXPECT_NEAR(job["slowdown"], 1.0, 1e-3);
  EXPECT_EQ(job["iterations_s"].size(), 2U);
  EXPECT_NEAR(job["flow_completion_s"], 7.33333 / 12.5, 1e-3);
  EXPECT_NEAR(job["throughput_gb_s"], 12.5, 1e-2);
  EXPECT_EQ(result["verified"], "contributions");
  EXPECT_EQ(result["messages"], 2 * 2 * 96);
}

// The rings of a job cross the links of accelerators, which are busy while all-reduces last.
TEST(RouteStudy, CountsWhatEveryChannelCarries) {
  const auto result =
      study("cross_check",
            {"routing.jobs=[{copy: 1, data_parallel: 4, gradient: 1 MiB, compute: 10 us, arrival: 0 s}]",
             "routing.iterations=1", "fidelity=fluid"});
  ASSERT_FALSE(result["channels"].empty());
  double most = 0;
  double most_bytes = 0;
  for (const auto& channel : result["channels"]) {
    most = std::max(most, channel["busy"].get<double>());
    most_bytes = std::max(most_bytes, channel["bytes"].get<double>());
  }
  EXPECT_EQ(most, result["link_utilization"]["max"].get<double>());
  // Each member of the ring sends six chunks, each a quarter of the gradient.
  EXPECT_NEAR(most_bytes, 1.5 * 1048576, 1e4);
  EXPECT_LE(most, 1.0);
  EXPECT_NEAR(most, result["jobs"][0]["ideal_s"].get<double>() / result["time_s"].get<double>(), 0.02);
  EXPECT_FALSE(result["simulator"].contains("flit_hops_per_s"));
}

// Three jobs with rings of 8 occupy 1,920 accelerators and start simultaneously. With optimal paths, every
// job runs in its ideal time under any placement; with greedy paths, some jobs take longer.
TEST(RouteStudy, WithOptimalPathsEveryJobTakesItsIdealTime) {
  const auto slowdowns = [](const std::string& placement, const std::string& method) {
    const auto result =
        study("paper", {"routing.jobs=[{model: bloom, data_parallel: 8}, {model: gpt3, data_parallel: 8}, "
                        "{model: llama2_70b, data_parallel: 8}]",
                        "routing.arrival_window=0 s", "routing.iterations=1",
                        "routing.placement=" + placement, "routing.method=" + method});
    std::vector<double> each;
    for (const auto& job : result["jobs"]) each.push_back(job["slowdown"]);
    return each;
  };
  for (const char* placement : {"random_hosts", "random_tors", "best_fit"}) {
    EXPECT_THAT(slowdowns(placement, "optimal"), Each(::testing::DoubleNear(1.0, 0.005))) << placement;
  }
  EXPECT_THAT(slowdowns("random_hosts", "greedy"), ::testing::Contains(::testing::Gt(1.1)));
}

// The exact methods give each flow links of its own. With ECMP, hash collisions cost time.
TEST(RouteStudy, HashingIsSlowerThanAssignedPaths) {
  const std::vector<std::string> setting{"routing.jobs=[{model: bloom, data_parallel: 4}]",
                                         "routing.iterations=1"};
  const auto slowdown = [&](const std::string& method) {
    auto overrides = setting;
    overrides.push_back("routing.method=" + method);
    return study("paper", overrides)["jobs"][0]["slowdown"].get<double>();
  };
  EXPECT_NEAR(slowdown("optimal"), 1.0, 1e-3);
  EXPECT_NEAR(slowdown("edge_coloring"), 1.0, 1e-3);
  EXPECT_GT(slowdown("ecmp"), 1.5);
}

// This study is small enough to be simulated completely as its own sample, so the reported error must equal
// the error of the study itself.
TEST(RouteStudy, MeasuresTheErrorOfFluidTimes) {
  const auto with = [](const char* fidelity) {
    return study(
        "cross_check",
        {"routing.jobs=[{copy: 8, data_parallel: 4, gradient: 64 KiB, compute: 10 us, arrival: 0 s}]",
         "routing.iterations=1", fmt::format("fidelity={}", fidelity)},
        true);
  };
  const auto fluid = with("fluid");
  const auto flit = with("flit");
  EXPECT_FALSE(flit.contains("fluid"));
  ASSERT_TRUE(fluid["fluid"].contains("error")) << fluid["fluid"];
  EXPECT_EQ(fluid["fluid"]["sample"]["scale"], 1);
  EXPECT_EQ(fluid["fluid"]["sample"]["all_reduces"], 1);
  EXPECT_EQ(fluid["fluid"]["sample"]["fidelity"], "flit");
  // In both runs, messages of 16 KiB are too small to be reported to the controller.
  const auto time = [](const auto& result) {
    return result["jobs"][0]["all_reduce_s"].template get<double>();
  };
  EXPECT_NEAR(fluid["fluid"]["error"], time(fluid) / time(flit) - 1, 1e-6) << fluid["fluid"];
}

// --- fluid against flits ---------------------------------------------------------------------------------

// The all-reduce times of the cross_check study with fluid flows and with flits.
std::pair<double, double> fluid_and_flit(std::vector<std::string> overrides) {
  overrides.emplace_back("routing.iterations=1");
  const double fluid = study("cross_check", overrides)["jobs"][0]["all_reduce_s"];
  overrides.emplace_back("fidelity=flit");
  const auto flit = study("cross_check", overrides);
  EXPECT_EQ(flit["fidelity"], "flit");
  return {fluid, flit["jobs"][0]["all_reduce_s"].get<double>()};
}

TEST(FluidAgainstFlit, AgreesIfFlowsShareNoLink) {
  const auto [fluid, flit] = fluid_and_flit({"routing.method=optimal"});
  EXPECT_NEAR(fluid / flit, 1.0, 0.05);
}

// All four flows of a ToR share its only uplink and have the same destination ToR. In this symmetric case,
// fluid flows and flits take the same time.
TEST(FluidAgainstFlit, AgreesIfFlowsShareLinksAndPortsAreServedEvenly) {
  const auto [fluid, flit] = fluid_and_flit(
      {"routing.method=greedy", "routing.placement=best_fit", "system.topology.failed_spines=[0, 2, 3]"});
  EXPECT_NEAR(fluid / flit, 1.0, 0.01);
}

// If several input ports of a switch compete for several outputs, one iteration of matching leaves some
// outputs idle. With ECMP's hash collisions, this costs 9% of the time. Switches that are twice as fast as
// their links remove the loss.
TEST(FluidAgainstFlit, AgreesInContentionIfSwitchesAreTwiceAsFastAsLinks) {
  const auto [fluid, flit] = fluid_and_flit({"routing.method=ecmp"});
  EXPECT_LT(fluid, 0.95 * flit);
  const auto [again, faster] = fluid_and_flit({"routing.method=ecmp", "system.clock=2 GHz"});
  EXPECT_NEAR(again / faster, 1.0, 0.01);
}

// All traffic crosses one spine. Switches take turns between ports rather than flows (see
// FluidFabric.IsFairAmongFlowsWhereRoutersAreFairAmongPorts), so fluid times are a lower bound.
TEST(FluidAgainstFlit, IsABoundIfSwitchPortsHaveUnequalFlows) {
  const auto [fluid, flit] =
      fluid_and_flit({"routing.method=greedy", "system.topology.failed_spines=[0, 2, 3]"});
  EXPECT_LE(fluid, flit);
}

// --- controller and hosts --------------------------------------------------------------------------------

std::vector<std::string> events(const nlohmann::ordered_json& result) {
  std::vector<std::string> names;
  for (const auto& entry : result["timeline"]) names.push_back(entry["event"]);
  return names;
}

TEST(RouteStudy, TheTimelineHasRequestReplyAndAllReduce) {
  const auto result = study("cross_check", {"routing.method=greedy", "routing.iterations=1"});
  EXPECT_THAT(events(result), ::testing::ElementsAre("arrival", "all_reduce_starts", "request", "assignment",
                                                     "all_reduce_ends", "departure"));
  const auto& timeline = result["timeline"];
  // The controller answers 7 us after the request: 2 us each way plus 5 us of computation.
  EXPECT_NEAR(timeline[3]["time_s"].get<double>() - timeline[2]["time_s"].get<double>(), 7e-6, 1e-9);
  EXPECT_EQ(timeline[2]["flows"], 32);
  EXPECT_EQ(timeline[3]["precomputed"], false);
}

TEST(RouteStudy, PredictedPhasesGetAReplyInARoundTrip) {
  const auto result = study("cross_check", {"routing.method=greedy"});
  EXPECT_EQ(result["controller"]["surprises"], 1);
  EXPECT_EQ(result["controller"]["predicted"], 1);
  const auto never = study("cross_check", {"routing.method=greedy", "routing.controller.precompute=false"});
  EXPECT_EQ(never["controller"]["surprises"], 2);
}

TEST(RouteStudy, FlowsAreHashedUntilALateReply) {
  const auto result = study(
      "cross_check", {"routing.method=greedy", "routing.iterations=1", "routing.controller.timeout=1 us"});
  EXPECT_THAT(events(result), ::testing::IsSupersetOf({"late_answer_ecmp", "assignment"}));
  EXPECT_EQ(result["controller"]["fallbacks"], 1);
}

TEST(RouteStudy, SmallFlowsAreHashedAndNeverReported) {
  const auto result = study("cross_check", {"routing.method=greedy", "routing.controller.elephant=1 GiB"});
  EXPECT_EQ(result["controller"]["assignments"], 0);
}

// The spine fails during the first all-reduce, and all sums must still be correct.
TEST(RouteStudy, FlowsMoveAwayFromAFailedSpine) {
  const std::vector<std::string> setting{"routing.method=optimal", "routing.iterations=1",
                                         "routing.controller.detection=10 us"};
  const auto whole = study("cross_check", setting);
  auto overrides = setting;
  overrides.emplace_back("routing.failures=[{spine: 1, at: 60 us}]");
  const auto failed = study("cross_check", overrides);
  EXPECT_THAT(events(failed), ::testing::IsSupersetOf({"spine_fails", "degraded_path_ecmp", "assignment"}));
  EXPECT_GT(failed["jobs"][0]["all_reduce_s"].get<double>(),
            whole["jobs"][0]["all_reduce_s"].get<double>() + 1e-5);
}

// --- rejected configurations -----------------------------------------------------------------------------

TEST(RouteStudy, ReportsTheJobThatDoesNotFit) {
  EXPECT_THAT(
      [] { study("paper", {"routing.jobs=[{model: llama2_70b, data_parallel: 16}, {model: gpt3}]"}); },
      ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("routing.jobs[1]"), HasSubstr("gpt3"), HasSubstr("too few hosts are free"))));
}

TEST(RouteStudy, ReportsTheJobsOfATorWithoutLiveSpines) {
  EXPECT_THAT([] { study("cross_check", {"system.topology.failed_links=[[2, 0], [2, 1], [2, 2], [2, 3]]"}); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("failed_links"), HasSubstr("job 0 (custom)"))));
}

TEST(RouteStudy, EndsWhenTheLastSpineFails) {
  EXPECT_THAT(
      [] {
        study("cross_check",
              {"routing.failures=[{spine: 0, at: 20 us}, {spine: 1, at: 20 us}, {spine: 2, at: 20 "
               "us}, {spine: 3, at: 20 us}]"});
      },
      ThrowsMessage<ModelError>(AllOf(HasSubstr("cannot be routed"), HasSubstr("job 0 (custom)"))));
}

TEST(RouteStudy, NeedsAClosNetworkAndAFidelityThatShares) {
  EXPECT_THAT([] { study("cross_check", {"system.topology.kind=torus"}); },
              ThrowsMessage<ConfigError>(HasSubstr("a routing study needs clos, not torus")));
  EXPECT_THAT([] { study("cross_check", {"fidelity=train"}); },
              ThrowsMessage<ConfigError>(HasSubstr("write fluid or flit")));
  EXPECT_THAT([] { study("cross_check", {"routing.random_failures=4"}); },
              ThrowsMessage<ConfigError>(HasSubstr("leave none of the")));
}

}  // namespace
}  // namespace coppice::system
