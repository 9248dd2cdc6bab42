#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class LoneCollectives : public Programs {
 protected:
  Outcome execute(const std::string& topology, const std::string& collective,
                  const std::vector<std::string>& command = {"run"}) const {
    shop.write("c.yaml", "system:\n  topology: {" + topology + "}\ncollective: {" + collective + "}\n");
    std::vector<std::string> arguments{command.front(), "c.yaml"};
    arguments.insert(arguments.end(), command.begin() + 1, command.end());
    return shop.run(arguments);
  }
  Json result(const std::string& topology, const std::string& collective) const {
    const Outcome outcome = execute(topology, collective, {"run", "--out", "r.json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err << collective;
    return outcome.status == 0 ? shop.read_json("r.json") : Json();
  }
};

TEST_F(LoneCollectives, OfARowCostWhatARingDoes) {
  const Json row = result("kind: torus, dims: [4, 4]",
                          "algorithm: ring, size: 64 KiB, op: all_reduce, group: [4, 5, 6, 7]");
  const Json ring = result("kind: ring, dims: [4]", "algorithm: ring, size: 64 KiB");
  for (const char* key : {"cycles", "time_ns", "algbw_gb_s", "busbw_gb_s", "efficiency", "steps"}) {
    EXPECT_EQ(row[key], ring[key]) << key;
  }
  EXPECT_EQ(row["bound"]["time_ns"], ring["bound"]["time_ns"]);
  EXPECT_EQ(row["bound"]["latency_ns"], ring["bound"]["latency_ns"]);
  EXPECT_EQ(row["verified"], "values");
  std::vector<int> members;
  for (const Json& group : row["bound"]["groups"]) {
    for (const Json& member : group) members.push_back(member.get<int>());
  }
  EXPECT_THAT(members, ::testing::UnorderedElementsAre(4, 5, 6, 7));
  EXPECT_EQ(row["config"]["collective"]["group"], Json({4, 5, 6, 7}));
}

TEST_F(LoneCollectives, OfAnyGroupAreNoFasterThanTheirLinks) {
  for (const char* op : {"all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all"}) {
    for (const char* group : {"[0, 5, 8]", "[8, 1, 2, 11]"}) {
      const std::string algorithm =
          std::string(op) == "broadcast" || std::string(op) == "reduce" ? "multitree, root: 8" : "ring";
      const Json one =
          result("kind: mesh, dims: [4, 3]",
                 fmt::format("algorithm: {}, size: 24 KiB, op: {}, group: {}", algorithm, op, group));
      EXPECT_GT(one["efficiency"].get<double>(), 0.01) << op << group;
      EXPECT_LE(one["efficiency"].get<double>(), 1) << op << group;
      EXPECT_NE(one["verified"], "off");
    }
  }
}

// Links of one bandwidth beside those of another: the slower are not all that a group has.
TEST_F(LoneCollectives, AreBoundedByLinksOfAllBandwidths) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 3, bandwidth: 8 GB/s, latency: 500 ns}]";
  for (const char* op : {"all_reduce", "all_gather", "all_to_all"}) {
    for (const char* group : {"[4, 7]", "[11, 9, 8]", "[0, 5, 10]"}) {
      const Json one =
          result(levels, fmt::format("algorithm: auto, size: 30 KiB, op: {}, group: {}", op, group));
      EXPECT_GT(one["efficiency"].get<double>(), 0.01) << op << group;
      EXPECT_LE(one["efficiency"].get<double>(), 1) << op << group;
    }
  }
}

TEST_F(LoneCollectives, ExchangeAllToAllByEveryAlgorithm) {
  for (const char* topology :
       {"kind: torus, dims: [4, 2]", "kind: mesh, dims: [2, 2, 2]",
        "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, "
        "latency: 100 ns}, {kind: switch, size: 2, bandwidth: 8 GB/s, latency: 500 ns}]"}) {
    for (const char* algorithm : {"auto", "direct", "pairwise", "ring", "hierarchical"}) {
      const Json one =
          result(topology, fmt::format("op: all_to_all, size: 32 KiB, algorithm: {}", algorithm));
      EXPECT_LE(one["efficiency"].get<double>(), 1) << topology << algorithm;
      EXPECT_GT(one["efficiency"].get<double>(), 0) << topology << algorithm;
      EXPECT_EQ(one["collectives"][0]["op"], "all_to_all");
    }
  }
}

// What is written as MSCCL's runs as the same messages, to the same cycle where blocks travel whole.
TEST_F(LoneCollectives, ExchangeAllToAllByFilesOfMsccl) {
  for (const char* topology :
       {"kind: torus, dims: [4, 2]", "kind: mesh, dims: [3, 3]", "kind: fully_connected, dims: [5]"}) {
    for (const char* algorithm : {"direct", "ring", "hierarchical"}) {
      const std::string collective = "op: all_to_all, size: 20 KiB, algorithm: ";
      const Outcome written = execute(topology, collective + algorithm, {"schedule", "--format", "msccl"});
      ASSERT_EQ(written.status, 0) << topology << algorithm << written.err;
      shop.write("a.xml", written.out);
      const Json read = result(topology, collective + "file, file: a.xml");
      const Json compiled = result(topology, collective + algorithm);
      EXPECT_EQ(read["verified"], "contributions");
      EXPECT_EQ(read["bound"], compiled["bound"]);
      EXPECT_LE(read["efficiency"].get<double>(), 1);
      EXPECT_EQ(read["collectives"][0]["op"], "all_to_all");
    }
  }
  EXPECT_THAT(
      execute("kind: ring, dims: [8]", "op: all_to_all, size: 1 KiB, algorithm: file, file: a.xml").err,
      HasSubstr("the algorithm is for 5 GPUs"));
  EXPECT_THAT(
      execute("kind: fully_connected, dims: [5]", "op: all_reduce, size: 1 KiB, algorithm: file, file: a.xml")
          .err,
      HasSubstr("holds all_to_all: write all_to_all"));
  shop.write("b.csv", "1");
  EXPECT_THAT(
      execute("kind: ring, dims: [8]", "op: all_to_all, size: 1 KiB, algorithm: file, file: b.csv").err,
      HasSubstr("an all-to-all is read as MSCCL XML"));
}

TEST_F(LoneCollectives, RefuseWhatCannotBe) {
  const std::string torus = "kind: torus, dims: [4, 4]";
  const auto expect = [&](const std::string& collective, const std::string& message,
                          const std::vector<std::string>& command = {"run"}) {
    const Outcome outcome = execute(torus, collective, command);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  expect("algorithm: ring, size: 1 KiB, group: [1]", "two accelerators");
  expect("algorithm: ring, size: 1 KiB, group: [1, 16]", "there is no accelerator 16");
  expect("algorithm: ring, size: 1 KiB, group: [1, 2, 1]", "accelerator 1 is there twice");
  expect("algorithm: multitree, op: broadcast, root: 3, size: 1 KiB, group: [1, 2]",
         "accelerator 3 is not in collective.group");
  expect("algorithm: multitree, op: all_to_all, size: 1 KiB", "multitree is no algorithm of an all-to-all");
  expect("algorithm: pairwise, size: 1 KiB", "there is no algorithm 'pairwise'");
  expect("algorithm: ring, group: [1, 2]", "collective.size");
  // The numbers of a fat tree count leaves and spines.
  const Outcome tree =
      execute("kind: fat_tree, dims: [4, 2, 0]", "algorithm: hierarchical, op: all_to_all, size: 1 KiB");
  EXPECT_EQ(tree.status, 2) << tree.out;
  EXPECT_THAT(tree.err, HasSubstr("dimension by dimension"));
  for (const char* command : {"schedule", "bound"}) {
    expect("algorithm: ring, size: 1 KiB, group: [1, 2]", "collective.group: groups and all-to-alls run as",
           {command});
  }
}

}  // namespace
}  // namespace coppice::system_test
