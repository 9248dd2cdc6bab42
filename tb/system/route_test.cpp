// Tests `coppice route`: its outputs, refusals with locations, and failed runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

// Two jobs on 4 ToRs and 2 spines. The first job occupies ToRs 0 and 1, and the second fits into ToR 2.
constexpr const char* kStudy =
    "system:\n"                                                                               // 1
    "  topology: {kind: clos, dims: [4, 4, 2]}\n"                                             // 2
    "  link: {bandwidth: 16 GB/s, latency: 150 ns}\n"                                         // 3
    "  ni: {flow_control: message}\n"                                                         // 4
    "routing:\n"                                                                              // 5
    "  method: greedy\n"                                                                      // 6
    "  jobs:\n"                                                                               // 7
    "    - {copy: 4, data_parallel: 2, gradient: 256 KiB, compute: 10 us, arrival: 0 s}\n"    // 8
    "    - {copy: 2, data_parallel: 2, gradient: 256 KiB, compute: 10 us, arrival: 20 us}\n"  // 9
    "  host: 4\n"                                                                             // 10
    "  placement: best_fit\n"                                                                 // 11
    "  iterations: 2\n"                                                                       // 12
    "  controller: {elephant: 64 KiB, round_trip: 2 us, compute_time: 5 us, detection: 5 us}\n";

Outcome route(const Workshop& shop, const std::vector<std::string>& settings,
              const std::vector<std::string>& more = {}) {
  shop.write("c.yaml", kStudy);
  std::vector<std::string> line{"route", "c.yaml", "--out", "r.json"};
  for (const std::string& setting : settings) {
    line.emplace_back("--set");
    line.push_back(setting);
  }
  line.insert(line.end(), more.begin(), more.end());
  return shop.run(line);
}

TEST(Route, WritesItsResultAndATraceOfFlowsJobsAndController) {
  const Workshop shop;
  const Outcome outcome = route(shop, {}, {"--trace", "t"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("greedy on 2 jobs"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "r.json", "t"));
  EXPECT_EQ(shop.read_json("r.json")["schema"], "coppice.route/1");
  std::multiset<std::string> phases;  // phases in the jobs' timelines
  std::multiset<std::string> events;  // events in the controller's timeline
  std::size_t messages = 0;
  int busy = 0;
  int rates = 0;
  for (const auto& [name, track] : shop.read_trace("t")) {
    if (track.unit == "%") ++busy;
    if (track.unit == "GB/s") {
      ++rates;
      EXPECT_EQ(track.values.back().second, 0) << name;
    }
    for (const auto& slice : track.slices) {
      if (slice.arrow_from != 0) ++messages;
      if (name.starts_with("job ")) phases.insert(slice.name);
      if (name == "controller") events.insert(slice.name);
    }
  }
  // 12 accelerators send messages in 2 rounds of each of 2 iterations.
  EXPECT_EQ(messages, 12U * 4U);
  EXPECT_GT(busy, 0);
  EXPECT_THAT(phases, ElementsAre("all-reduce 1", "all-reduce 1", "all-reduce 2", "all-reduce 2", "compute",
                                  "compute", "compute", "compute"));
  EXPECT_EQ(events.count("request"), 4U);
  EXPECT_GE(events.count("assignment"), 4U);
  EXPECT_EQ(events.count("departure"), 2U);
  EXPECT_EQ(rates, 12);
}

TEST(Route, TracesFallbacksAndFailures) {
  const Workshop shop;
  const Outcome outcome =
      route(shop, {"routing.controller.timeout=1 us", "routing.failures=[{spine: 1, at: 25 us}]"},
            {"--trace", "t"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::set<std::string> events;
  const auto trace = shop.read_trace("t");
  for (const auto& slice : trace.at("controller").slices) events.insert(slice.name);
  EXPECT_THAT(events, IsSupersetOf({"late_answer_ecmp", "spine_fails", "degraded_path_ecmp", "assignment"}));
}

TEST(Route, EndsAtTheCycleLimit) {
  const Workshop shop;
  const Outcome outcome = route(shop, {"max_cycles=60000"}, {"--trace", "t"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("cycle limit reached at cycle 60000 (max_cycles): job 0 (custom) has finished 1 of 2 "
                        "iterations, job 1 (custom) has finished 1 of 2 iterations"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
  EXPECT_EQ(route(shop, {"max_cycles=10000000"}).status, 0);
}

// --- bad input: status 2, with a location, nothing written
// --------------------------------------------------------

struct Refusal {
  const char* name;
  std::vector<std::string> settings;
  const char* place;
  std::vector<const char*> says;
};

class RouteRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RouteRefusalTest, IsLocatedAndWritesNothing) {
  const Workshop shop;
  const Outcome outcome = route(shop, GetParam().settings, {"--trace", "t"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith(GetParam().place));
  for (const char* part : GetParam().says) EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

const Refusal kRefusals[] = {
    {"JobThatDoesNotFit",
     {"routing.jobs=[{model: bloom, data_parallel: 2}]"},
     "--set routing.jobs",
     {"routing.jobs[0]: bloom needs 2 copies of 48 accelerators, but too few hosts are free",
      "accelerators of the network: 16"}},
    {"SecondJobThatDoesNotFit",
     {"routing.jobs=[{copy: 4, data_parallel: 3, gradient: 1 MiB, compute: 1 us}, {copy: 2, "
      "data_parallel: 4, gradient: 1 MiB, compute: 1 us}]"},
     "--set routing.jobs",
     {"routing.jobs[1]: custom needs 4 copies of 2 accelerators, but too few hosts are free",
      "earlier jobs: 1"}},
    {"TorWithoutLiveSpines",
     {"system.topology.failed_links=[[1, 0], [1, 1]]"},
     "--set system.topology.failed_links",
     {"flows cannot be routed: job 0 (custom)"}},
    {"AllSpinesFailed",
     {"system.topology.failed_spines=[0, 1]"},
     "--set system.topology.failed_spines",
     {"flows cannot be routed: job 0 (custom)"}},
    {"AllSpinesFailedAtRandom",
     {"routing.random_failures=2"},
     "--set routing.random_failures",
     {"2 random failures leave none of the 2 working spines"}},
    {"ZeroRate",
     {"system.link.bandwidth=0 GB/s"},
     "--set system.link.bandwidth",
     {"system.link.bandwidth must be from", "not '0 GB/s'"}},
    {"ZeroUtilization",
     {"routing.utilization=0"},
     "--set routing.utilization",
     {"routing.utilization must be a number from 0.001 to 1"}},
    {"ZeroIterations", {"routing.iterations=0"}, "--set routing.iterations", {"from 1 to 10000"}},
    {"UnknownModel",
     {"routing.jobs=[{model: blom}]"},
     "--set routing.jobs",
     {"routing.jobs[0].model must be", "not 'blom'; did you mean 'bloom'?"}},
    {"UnknownMethod",
     {"routing.method=gredy"},
     "--set routing.method",
     {"not 'gredy'; did you mean 'greedy'?"}},
    {"UnknownSpine",
     {"routing.failures=[{spine: 2, at: 1 us}]"},
     "--set routing.failures",
     {"spine 2 does not exist: the spines are 0 to 1"}},
    {"RingOfOne",
     {"routing.jobs=[{model: bloom, data_parallel: 1}]"},
     "--set routing.jobs",
     {"data_parallel must be a whole number from 2"}},
    {"NoElementForEveryReplica",
     {"routing.jobs=[{copy: 1, data_parallel: 4, gradient: 8 B, compute: 1 us}]"},
     "--set routing.jobs",
     {"less than one element for each of 4 replicas"}},
};

INSTANTIATE_TEST_SUITE_P(Route, RouteRefusalTest, ::testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return refusal.param.name; });

// --- failed runs: status 1, nothing written ----------------------------------------------------------------

TEST(Route, ListsTheFlowsThatTheLastFailureCutsOff) {
  const Workshop shop;
  const Outcome outcome =
      route(shop, {"routing.failures=[{spine: 0, at: 20 us}, {spine: 1, at: 20 us}]"}, {"--trace", "t"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cannot be routed"), HasSubstr("job 0 (custom)"),
                                 HasSubstr("no live spine joins ToR")));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

// --- a command that was moved ------------------------------------------------------------------------------

TEST(Models, AreFoundBesideAnInstalledCommand) {
  const Workshop shop;
  namespace fs = std::filesystem;
  fs::create_directories(shop.directory() + "/bin");
  fs::create_directories(shop.directory() + "/share/coppice/workloads");
  fs::copy_file(command_path(), shop.directory() + "/bin/coppice");
  fs::copy_file(shipped_config("workloads/ncf.csv"), shop.directory() + "/share/coppice/workloads/moved.csv");
  const std::string out = shop.directory() + "/list.txt";
  ASSERT_EQ(std::system((shop.directory() + "/bin/coppice list > " + out).c_str()), 0);
  EXPECT_THAT(shop.read("list.txt"), AllOf(HasSubstr("\n  moved\n"), ::testing::Not(HasSubstr("resnet50"))));
}

}  // namespace
}  // namespace coppice::system_test
