#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Schedule, PrintsTextJsonAndGraphviz) {
  const Workshop shop;
  shop.write("c.yaml",
             "system: {topology: {kind: torus, dims: [4, 4]}}\n"
             "collective: {algorithm: multitree, size: 16 KiB}\n");
  Outcome outcome = shop.run({"schedule", "c.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("multitree all_reduce on torus 4x4"));
  EXPECT_THAT(outcome.out, HasSubstr("\nnetwork interface: entries of "));

  outcome = shop.run({"schedule", "c.yaml", "--format", "json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["schema"], "coppice.schedule/1");
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["ni_overhead"]["ports"], 4);

  outcome = shop.run({"schedule", "c.yaml", "--format", "dot"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("digraph"));
}

TEST(Schedule, PrintsTheTablesOfNetworkInterfaces) {
  const Workshop shop;
  shop.write("c.yaml",
             "system: {topology: {kind: torus, dims: [2, 2]}}\n"
             "collective: {algorithm: double_tree, size: 16 KiB, chunks: 12}\n");
  const auto entries = [&](const std::string& lockstep) {
    const Outcome outcome =
        shop.run({"schedule", "c.yaml", "--format", "tables", "--set", "system.ni.lockstep=" + lockstep});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["schema"], "coppice.tables/1");
    int sum = 0;
    for (const auto& node : json["nodes"]) {
      for (const auto& port : node["ports"]) sum += port["entries"].get<int>();
    }
    return sum;
  };
  // With a lockstep, the tables contain nops.
  EXPECT_GT(entries("true"), entries("false"));
}

TEST(Bound, IsThatOfThePaperOnA4x4Torus) {
  const Workshop shop;
  shop.write("c.yaml", "system: {topology: {kind: torus, dims: [4, 4]}}\ncollective: {size: 1 MiB}\n");
  Outcome outcome = shop.run({"bound", "c.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  // In each phase, 15 of 16 chunks of 64 KiB leave an accelerator over four links of 16 GB/s.
  EXPECT_THAT(outcome.out, StartsWith("all_reduce of 1 MiB on torus 4x4: at least 30720.000 ns"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  groups: each accelerator by itself\n"));

  outcome = shop.run({"bound", "c.yaml", "--set", "collective.op=all_gather", "--out", "b.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  const auto bound = shop.read_json("b.json");
  EXPECT_EQ(bound["schema"], "coppice.bound/1");
  EXPECT_EQ(bound["collective"], "all_gather");
  EXPECT_EQ(bound["size_bytes"], 1 << 20);
  EXPECT_DOUBLE_EQ(bound["time_ns"].get<double>(), 15360.0);
  EXPECT_EQ(bound["passing"]["bandwidth_gb_s"], 64.0);
  ASSERT_EQ(bound["groups"].size(), 2U);
  EXPECT_EQ(bound["groups"][0].size(), 15U);
  EXPECT_EQ(bound["groups"][1].size(), 1U);
}

TEST(List, ListsTheNamesForConfigurations) {
  const Workshop shop;
  const Outcome outcome = shop.run({"list"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"torus", "mesh", "ring", "multitree", "uniform", "neighbor", "models"}) {
    EXPECT_THAT(outcome.out, HasSubstr(name));
  }
}

TEST(Help, IsNotAnError) {
  const Workshop shop;
  for (const char* command : {"run", "traffic", "schedule", "bound", "list"}) {
    const Outcome outcome = shop.run({command, "--help"});
    EXPECT_EQ(outcome.status, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: coppice")) << command;
    EXPECT_EQ(outcome.err, "") << command;
  }
  EXPECT_THAT(shop.run({"--version"}).out, StartsWith("coppice "));
}

}  // namespace
}  // namespace coppice::system_test
