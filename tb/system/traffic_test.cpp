#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> traffic(const std::vector<std::string>& more) {
  std::vector<std::string> line{"traffic",        shipped_config("systems/mesh_8x8_booksim.yaml"),
                                "--pattern",      "uniform",
                                "--rate",         "0.1",
                                "--packet-flits", "1"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

TEST(Traffic, ReportsWhatItMeasured) {
  const Workshop shop;
  const Outcome outcome = shop.run(traffic({"--warmup", "1000", "--measure", "5000", "--out", "t.json"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("packet latency"));
  const auto result = shop.read_json("t.json");
  for (const char* key :
       {"packet_latency_mean", "flit_latency_mean", "accepted_flits_per_node_cycle", "hops_mean"}) {
    EXPECT_GT(result[key].get<double>(), 0) << key;
  }
  EXPECT_EQ(result["saturated"], false);
  EXPECT_TRUE(result.contains("simulator"));
  EXPECT_THAT(shop.files(), ElementsAre("t.json"));
}

TEST(Traffic, DrawsOtherPacketsForAnotherSeed) {
  const Workshop shop;
  const auto result_for = [&](const char* seed) {
    EXPECT_EQ(
        shop.run(traffic({"--warmup", "100", "--measure", "2000", "--seed", seed, "--out", "t.json"})).status,
        0);
    auto result = shop.read_json("t.json");
    EXPECT_EQ(result["config"]["seed"].dump(), seed);
    result.erase("simulator");
    return result.dump();
  };
  const std::string first = result_for("1");
  EXPECT_EQ(result_for("1"), first);
  EXPECT_NE(result_for("2"), first);
}

TEST(Traffic, WarnsOfTheCollective) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"traffic", "c.yaml", "--pattern", "neighbor", "--rate", "0.1",
                                    "--packet-flits", "2", "--warmup", "10", "--measure", "100"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "c.yaml:9:7: warning: collective.op, collective.algorithm, collective.size have no effect on "
            "synthetic traffic\n");
}

TEST(Traffic, StopsOnInterruptWithoutLeavingAFile) {
  const Workshop shop;
  RunningCommand command(shop.directory(), traffic({"--measure", "1000000000", "--out", "t.json"}));
  ASSERT_TRUE(command.await_on_terminal("%"));
  command.interrupt();
  EXPECT_EQ(command.finish().status, 130);
  EXPECT_THAT(shop.files(), ElementsAre());
}

}  // namespace
}  // namespace coppice::system_test
