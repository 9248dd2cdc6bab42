#include "system/output/result.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine.h"
#include "system/program/program_result.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::ThrowsMessage;

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(Result, HasTheKeysOfTheDesign) {
  const auto result = run("torus_4x4", {"collective.size=4 KiB"});
  EXPECT_THAT(keys_of(result),
              IsSupersetOf({"schema", "version", "config", "verified", "fidelity", "contention_free", "steps",
                            "cycles", "time_ns", "algbw_gb_s", "busbw_gb_s", "bound", "efficiency", "flits",
                            "flit_hops", "link_utilization", "ni_overhead", "simulator"}));
  EXPECT_EQ(result["schema"], "coppice.result/1");
  EXPECT_THAT(keys_of(result["bound"]), IsSupersetOf({"time_ns", "latency_ns", "groups"}));
  EXPECT_THAT(keys_of(result["link_utilization"]), IsSupersetOf({"mean", "max"}));
  EXPECT_THAT(keys_of(result["simulator"]),
              IsSupersetOf({"wall_s", "user_s", "flit_hops_per_s", "peak_rss_bytes"}));
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(result["config"]["collective"]["size"], "4 KiB");
  EXPECT_EQ(result["config"]["system"]["router"]["st_delay"], 1);
}

TEST(Result, CountsTheBytesOnLinksPerByteOfData) {
  using workload::CollectiveOp;
  EXPECT_EQ(bus_factor(CollectiveOp::kAllReduce, 2), 1.0);
  EXPECT_EQ(bus_factor(CollectiveOp::kAllReduce, 4), 1.5);
  EXPECT_EQ(bus_factor(CollectiveOp::kAllGather, 2), 0.5);
  EXPECT_EQ(bus_factor(CollectiveOp::kAllToAll, 4), 0.75);
  EXPECT_EQ(bus_factor(CollectiveOp::kReduce, 4), 1);
}

TEST(Result, DividesBytesByTime) {
  const auto result = run("torus_4x4", {"collective.size=4 KiB"});
  const double time_ns = result["time_ns"];
  EXPECT_DOUBLE_EQ(result["algbw_gb_s"], 4096 / time_ns);
  EXPECT_DOUBLE_EQ(result["busbw_gb_s"], 4096 / time_ns * 30 / 16);
  EXPECT_DOUBLE_EQ(result["efficiency"], std::max(result["bound"]["time_ns"].get<double>(),
                                                  result["bound"]["latency_ns"].get<double>()) /
                                             time_ns);
}

TEST(Result, RejectsImpossibleFigures) {
  nlohmann::ordered_json result{{"time_ns", 499.0}, {"link_utilization", {{"mean", 0.5}, {"max", 1.0}}}};
  EXPECT_THAT(
      [&] { require_possible(result, 500); },
      ThrowsMessage<ModelError>(HasSubstr("the run took 499 ns, which is less than the lower bound")));
  EXPECT_NO_THROW(require_possible(result, 499));
  result["collectives"] = {{{"name", "a"}, {"efficiency", 1.001}}};
  EXPECT_THAT([&] { require_possible(result, 0); },
              ThrowsMessage<ModelError>(HasSubstr("efficiency of 'a' is 1.001")));
  result["link_utilization"]["max"] = 1.002;
  EXPECT_THAT([&] { require_possible(result, 0); },
              ThrowsMessage<ModelError>(HasSubstr("link_utilization.max is 1.002")));
}

// A flit takes 160 cycles. Accelerators send the two messages of a phase one after another, so the second
// arrives only after the time of both messages.
TEST(Result, CountsTheTimeOfFlitsOnSlowChannels) {
  const std::vector<std::string> keys{"system.topology={kind: ring, dims: [2]}", "collective.size=8 B",
                                      "system.link.bandwidth=100 MB/s", "collective.algorithm=ring"};
  Cycles cycles = 0;
  for (const char* fidelity : {"flit", "train"}) {
    auto all = keys;
    all.push_back(std::string("fidelity=") + fidelity);
    const auto result = run("torus_4x4", all);
    EXPECT_GE(result["cycles"].get<Cycles>(), 640) << fidelity;
    EXPECT_LE(result["link_utilization"]["max"].get<double>(), 1) << fidelity;
    if (cycles > 0) {
      EXPECT_EQ(result["cycles"].get<Cycles>(), cycles);
    }
    cycles = result["cycles"].get<Cycles>();
  }
}

// An accelerator sends 3/4 of 8 KiB over the first dimension and half of the remaining quarter over the
// second. The all-gather sends the same amounts again.
TEST(Result, ReportsTheTrafficOfTheDimensionsOfAHierarchy) {
  const auto result =
      run("hierarchy_16x8x8",
          {"system.topology.dimensions=[{kind: switch, size: 4, bandwidth: 10 GB/s, latency: 1 ns}, "
           "{kind: ring, size: 2, links: 4, bandwidth: 5 GB/s, latency: 1 ns}]",
           "collective.size=8 KiB", "collective.chunks=1"});
  const auto& dimensions = result["dimensions"];
  ASSERT_EQ(dimensions.size(), 2U);
  EXPECT_EQ(dimensions[0]["kind"], "switch");
  EXPECT_EQ(dimensions[0]["size"], 4);
  EXPECT_EQ(dimensions[0]["bandwidth_gb_s"], 10.0);
  EXPECT_EQ(dimensions[0]["bytes_per_accelerator"], 2 * 6144.0);
  EXPECT_EQ(dimensions[1]["kind"], "ring");
  EXPECT_EQ(dimensions[1]["bandwidth_gb_s"], 20.0);
  EXPECT_EQ(dimensions[1]["bytes_per_accelerator"], 2 * 1024.0);
  EXPECT_DOUBLE_EQ(dimensions[1]["utilization"].get<double>(), 2048 / 20.0 / result["time_ns"].get<double>());
  EXPECT_FALSE(run("torus_4x4", {"collective.size=4 KiB"}).contains("dimensions"));
}

TEST(Summarize, ReportsFiguresAndTheBreakdown) {
  const auto result = run("torus_4x4", {"collective.size=4 KiB"});
  const std::string text = summarize(result);
  EXPECT_THAT(text, AllOf(HasSubstr("all_reduce of 4 KiB by multitree"), HasSubstr("verified: values"),
                          HasSubstr("efficiency"), HasSubstr("link utilization"), HasSubstr("flit-hops")));
  for (const char* part :
       {"serialization", "latency", "dependencies", "lockstep", "contention", "finished"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

// The summary of a program run with the given exposed communication per kind.
std::string summary_of(const std::map<std::string, double>& exposed) {
  using Json = nlohmann::ordered_json;
  const Json iteration = {{"time_ns", 10.0},  {"compute_ns", 2.0}, {"memory_ns", 0.0},  {"exposed_ns", 8.0},
                          {"bubble_ns", 0.0}, {"idle_ns", 0.0},    {"exposed", exposed}};
  return summarize({{"program", {{"operations", 2}, {"ranks", 1}}},
                    {"cycles", 10},
                    {"time_ns", 10.0},
                    {"fidelity", "train"},
                    {"verified", "off"},
                    {"iterations", Json::array({iteration})},
                    {"collectives", Json::array()},
                    {"flit_hops", 0},
                    {"simulator", {{"wall_s", 0.0}, {"peak_rss_bytes", 0}}}});
}

TEST(Summarize, NamesKindsOfExposedCommunication) {
  EXPECT_THAT(summary_of({{"data", 5.0}, {"other", 3.0}}),
              AllOf(HasSubstr("80.0% exposed communication"), HasSubstr("exposed data communication "),
                    HasSubstr("exposed unlabelled communication "), Not(HasSubstr("exposed other"))));
  EXPECT_THAT(summary_of({{"other", 8.0}}),
              AllOf(HasSubstr("80.0% exposed communication"), Not(HasSubstr("unlabelled"))));
}

}  // namespace
}  // namespace coppice::system
