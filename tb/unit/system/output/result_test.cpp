#include "system/output/result.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "machine.h"
#include "system/collective/run.h"

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

// A machine of two accelerators, measured by hand.
class ResultTest : public ::testing::Test {
 protected:
  ResultTest()
      : topology_(topology::make_mesh(std::vector{2}, std::vector{topology::LinkSpec{{8'000'000'000}, 0}})) {
    schedule_.size = 8000;
    schedule_.steps = 2;
    statistics_.flits_injected = 600;
    statistics_.flit_hops = 1200;
    statistics_.channel_flits = {100, 300};
  }
  nlohmann::ordered_json result(schedule::Collective collective, Cycles cycles = 1000) {
    schedule_.collective = collective;
    return make_result({config_,
                        topology_,
                        schedule_,
                        report_,
                        "values",
                        "flit",
                        cycles,
                        1'000'000,
                        statistics_,
                        least_,
                        {{"latency", 1000.0}}});
  }

  config::Config config_;
  topology::Topology topology_;
  schedule::Schedule schedule_;
  schedule::CheckReport report_;
  fabric::FabricStatistics statistics_;
  // 500 ns.
  LeastTime least_{.bandwidth = {.bytes = 8000, .bytes_per_second = 16'000'000'000, .groups = {}},
                   .latency_ns = 20};
};

TEST_F(ResultTest, DividesBytesByTime) {
  const auto json = result(schedule::Collective::kAllReduce);
  EXPECT_EQ(json["time_ns"], 1000.0);
  EXPECT_EQ(json["algbw_gb_s"], 8.0);
  EXPECT_EQ(json["busbw_gb_s"], 8.0);  // 2 (n - 1) / n of it, n = 2
  EXPECT_EQ(json["efficiency"], 0.5);
  EXPECT_EQ(result(schedule::Collective::kAllGather)["busbw_gb_s"], 4.0);
}

// 16 B flits at 8 GB/s hold a channel for two cycles each.
TEST_F(ResultTest, CountsAChannelBusyForItsFlitTime) {
  const auto json = result(schedule::Collective::kAllReduce);
  EXPECT_DOUBLE_EQ(json["link_utilization"]["max"], 0.6);
  EXPECT_DOUBLE_EQ(json["link_utilization"]["mean"], 0.4);
}

TEST_F(ResultTest, StandsARunWithoutTime) {
  least_ = {};
  statistics_ = {};
  statistics_.channel_flits = {0, 0};
  const auto json = result(schedule::Collective::kAllReduce, 0);
  EXPECT_EQ(json["algbw_gb_s"], 0.0);
  EXPECT_EQ(json["efficiency"], 1.0);
  EXPECT_EQ(json["link_utilization"]["max"], 0.0);
}

TEST_F(ResultTest, RefusesWhatNoMachineCanDo) {
  EXPECT_THAT([&] { result(schedule::Collective::kAllReduce, 499); },
              ThrowsMessage<ModelError>(HasSubstr("the run took 499 ns, but no schedule")));
  least_.latency_ns = 1001;
  EXPECT_THAT([&] { result(schedule::Collective::kAllReduce); },
              ThrowsMessage<ModelError>(HasSubstr("less than 1001 ns")));
  least_.latency_ns = 0;
  statistics_.channel_flits = {100, 501};
  EXPECT_THAT([&] { result(schedule::Collective::kAllReduce); },
              ThrowsMessage<ModelError>(HasSubstr("link_utilization.max is 1.002")));
}

// A flit takes 160 cycles: whoever gets the last of two in a phase gets it when both are through.
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

// An accelerator sends 3/4 of 8 KiB over the first dimension and half of the quarter that is left over the
// second, and as much on the way back.
TEST(Result, TellsWhatTheDimensionsOfAHierarchyCarried) {
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

TEST(Summarize, TellsFiguresAndBreakdown) {
  const auto result = run("torus_4x4", {"collective.size=4 KiB"});
  const std::string text = summarize(result);
  EXPECT_THAT(text, AllOf(HasSubstr("all_reduce of 4 KiB by multitree"), HasSubstr("verified: values"),
                          HasSubstr("efficiency"), HasSubstr("link utilization"), HasSubstr("flit-hops")));
  for (const char* part :
       {"serialization", "latency", "dependencies", "lockstep", "contention", "finished"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("one by one")));
}

}  // namespace
}  // namespace coppice::system
