// What no machine can do: more simulated time than there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    line.emplace_back("--set");
    line.push_back(setting);
  }
  return line;
}

void expect_refusal(const std::vector<std::string>& line, const std::string& place, const std::string& why) {
  const Workshop shop;
  const Outcome outcome = shop.run(line);
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr(place));
  EXPECT_THAT(outcome.err, HasSubstr(why));
  EXPECT_THAT(shop.files(), ElementsAre());
}

constexpr const char* kTooLong = "takes more than the 9,223 s that can be simulated";

TEST(TimeLimit, RefusesCollectivesThatTakeLonger) {
  const std::vector<std::string> run{"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"};
  const std::vector<std::string> slow{"collective.size=140 MB", "system.link.bandwidth=1 kB/s",
                                      "system.link.latency=0 ns", "system.router.vc_depth=65536"};
  for (const std::string fidelity : {"auto", "flit", "train", "fluid"}) {
    std::vector<std::string> settings = slow;
    settings.push_back("fidelity=" + fidelity);
    expect_refusal(with(run, settings), "collective.size: ", kTooLong);
  }
}

// The least possible time is 7,500 s, the schedule's own is above the limit.
TEST(TimeLimit, RefusesSchedulesThatTakeLongerThanTheBound) {
  const std::vector<std::string> run{"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"};
  for (const std::string fidelity : {"train", "fluid"}) {
    expect_refusal(with(run, {"collective.size=16 MB", "system.link.bandwidth=1 kB/s",
                              "collective.algorithm=ring", "fidelity=" + fidelity}),
                   "collective.size: ", kTooLong);
  }
}

TEST(TimeLimit, RefusesTrafficThatIsMeasuredLonger) {
  for (const std::string option : {"--measure", "--warmup"}) {
    expect_refusal({"traffic", shipped_config("systems/torus_4x4.yaml"), "--pattern", "uniform", "--rate",
                    "0.1", "--packet-flits", "1", option, "9223372036854775807", "--out", "t.json"},
                   "--measure", kTooLong);
  }
}

TEST(TimeLimit, RefusesStudiesThatTakeLonger) {
  const std::string config = shipped_config("systems/routing/cross_check.yaml");
  expect_refusal(with({"route", config, "--out", "r.json"}, {"system.link.bandwidth=1 kB/s"}),
                 "routing.jobs: ", kTooLong);
  expect_refusal(
      with({"route", config, "--out", "r.json"},
           {"routing.jobs=[{copy: 8, data_parallel: 4, gradient: 1 TiB, compute: 10 us, arrival: 0 s}]",
            "system.link.bandwidth=100 MB/s"}),
      "routing.jobs: ", kTooLong);
}

TEST(TimeLimit, RefusesMoreWindowsThanAnyoneReads) {
  expect_refusal({"chunks", shipped_config("systems/themis/2D-SW_SW.yaml"), "--window", "1 fs", "--out", "c"},
                 "--window 1 fs:1:1: ", "1000000 windows at most");
  expect_refusal(
      with({"chunks", shipped_config("systems/themis/2D-SW_SW.yaml"), "--out", "c"},
           {"system.topology.dimensions=[{kind: switch, size: 4, bandwidth: 1 kB/s, latency: 1 ns}]"}),
      "collective.size: ", kTooLong);
}

}  // namespace
}  // namespace coppice::system_test
