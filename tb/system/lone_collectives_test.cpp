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

// Accelerators with one or two links of 10 to 80 GB/s to three switches. A message occupies its port at the
// rate of its slowest link, so trees must not send much over slow links from fast ports.
TEST_F(LoneCollectives, ReachNearlyTheBoundBehindSwitchesWithUnequalLinks) {
  std::string graph = "accelerators 7\nswitches 3\n";
  const auto link = [&](const char* a, const char* b, int bandwidth) {
    graph += fmt::format("link {} -- {} bandwidth \"{} GB/s\" latency \"100 ns\"\n", a, b, bandwidth);
  };
  for (const auto& [node, bandwidth] :
       {std::pair{"0", 80}, {"1", 10}, {"2", 20}, {"3", 80}, {"4", 80}, {"5", 20}})
    link(node, "s2", bandwidth);
  link("1", "s0", 80);
  link("4", "s1", 20);
  link("6", "s1", 10);
  link("6", "s0", 20);
  link("s0", "s1", 80);
  link("s2", "s1", 80);
  shop.write("n.graph", graph);
  shop.write("c.yaml",
             "system: {topology: {kind: file, file: n.graph}, clock: 1 GHz, flit: 128 B, ni: {flow_control: "
             "message}}\n"
             "collective: {algorithm: auto, size: 16 MiB}\n");
  const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GE(shop.read_json("r.json")["efficiency"].get<double>(), 0.94);
}

TEST_F(LoneCollectives, OfARowTakeTheTimeOfARing) {
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

// If links have two bandwidths, the bound must take the faster links into account as well.
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

TEST_F(LoneCollectives, RunAllToAllsWithEveryAlgorithm) {
  for (const char* topology :
       {"kind: torus, dims: [4, 2]", "kind: mesh, dims: [2, 2, 2]",
        "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, "
        "latency: 100 ns}, {kind: switch, size: 2, bandwidth: 8 GB/s, latency: 500 ns}]"}) {
    for (const char* algorithm : {"auto", "direct", "at_once", "pairwise", "ring", "hierarchical"}) {
      const Json one =
          result(topology, fmt::format("op: all_to_all, size: 32 KiB, algorithm: {}", algorithm));
      EXPECT_LE(one["efficiency"].get<double>(), 1) << topology << algorithm;
      EXPECT_GT(one["efficiency"].get<double>(), 0) << topology << algorithm;
      EXPECT_EQ(one["collectives"][0]["op"], "all_to_all");
    }
  }
}

// An all-to-all that is written to MSCCL and read back has the same bound and remains correct.
TEST_F(LoneCollectives, RunAllToAllsFromMscclFiles) {
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
      HasSubstr("is for all_to_all: write all_to_all"));
  shop.write("b.csv", "1");
  EXPECT_THAT(
      execute("kind: ring, dims: [8]", "op: all_to_all, size: 1 KiB, algorithm: file, file: b.csv").err,
      HasSubstr("an all-to-all must be MSCCL XML"));
}

TEST_F(LoneCollectives, RejectInvalidSettings) {
  const std::string torus = "kind: torus, dims: [4, 4]";
  const auto expect = [&](const std::string& collective, const std::string& message,
                          const std::vector<std::string>& command = {"run"}) {
    const Outcome outcome = execute(torus, collective, command);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  expect("algorithm: ring, size: 1 KiB, group: [1]", "two accelerators");
  expect("algorithm: ring, size: 1 KiB, group: [1, 16]", "accelerator 16 does not exist");
  expect("algorithm: ring, size: 1 KiB, group: [1, 2, 1]", "accelerator 1 appears twice");
  expect("algorithm: multitree, op: broadcast, root: 3, size: 1 KiB, group: [1, 2]",
         "accelerator 3 is not in collective.group");
  expect("algorithm: multitree, op: all_to_all, size: 1 KiB", "multitree is not an all-to-all algorithm");
  expect("algorithm: pairwise, size: 1 KiB", "unknown algorithm 'pairwise'");
  expect("algorithm: ring, group: [1, 2]", "collective.size");
  // For this fat tree, `dims` means accelerators per leaf, leaves and spines, so it has no dimensions.
  const Outcome tree =
      execute("kind: fat_tree, dims: [4, 2, 0]", "algorithm: hierarchical, op: all_to_all, size: 1 KiB");
  EXPECT_EQ(tree.status, 2) << tree.out;
  EXPECT_THAT(tree.err, HasSubstr("dimension by dimension"));
  expect("algorithm: balanced, op: all_to_all, size: 1 KiB, group: [0, 5, 10]",
         "balanced distributes load over the channels of a torus or mesh");
  for (const char* command : {"schedule", "bound", "compare"}) {
    expect("algorithm: ring, size: 1 KiB, group: [1, 16]", "accelerator 16 does not exist", {command});
  }
}

// `coppice bound` must print the same bound as a run's result.
TEST_F(LoneCollectives, HaveTheBoundOfTheirRun) {
  for (const char* topology : {"kind: torus, dims: [4, 3]", "kind: mesh, dims: [3, 4]", "kind: dgx1",
                               "kind: fat_tree, dims: [4, 2]"}) {
    for (const char* group : {"", ", group: [0, 1, 2, 3]", ", group: [4, 1, 6]"}) {
      for (const char* op : {"all_to_all", "all_gather", "reduce, root: 1"}) {
        const bool whole = std::string(group).empty();
        if (whole && std::string(op) != "all_to_all") continue;
        const std::string collective = fmt::format("algorithm: auto, size: 24 KiB, op: {}{}", op, group);
        const Json one = result(topology, collective);
        const Outcome told = execute(topology, collective, {"bound", "--out", "b.json"});
        ASSERT_EQ(told.status, 0) << told.err;
        const Json bound = shop.read_json("b.json");
        EXPECT_DOUBLE_EQ(bound["time_ns"].get<double>(), one["bound"]["time_ns"].get<double>())
            << topology << collective;
        EXPECT_DOUBLE_EQ(bound["latency_ns"].get<double>(), one["bound"]["latency_ns"].get<double>());
        EXPECT_LE(bound["time_ns"].get<double>(), one["time_ns"].get<double>());
        EXPECT_NE(bound["groups"].empty(), !bound.contains("lengths"));
        EXPECT_THAT(execute(topology, collective, {"bound"}).out, HasSubstr("at least"));
      }
    }
  }
}

// On tori and meshes, a balanced exchange uses all bandwidth. With packets, 6% of it is needed for a head
// flit per 16 data flits.
TEST_F(LoneCollectives, ReachNearlyTheBoundWithBalancedExchanges) {
  for (const char* topology :
       {"kind: torus, dims: [4, 4]", "kind: torus, dims: [6, 2]", "kind: mesh, dims: [4, 4]",
        "kind: torus, dims: [3, 3, 2]", "kind: mesh, dims: [5, 3]", "kind: torus, dims: [2, 2, 2]"}) {
    const auto efficiency = [&](const char* algorithm, const char* flow_control) {
      shop.write("c.yaml", fmt::format("system:\n  topology: {{{}}}\n  ni: {{flow_control: {}}}\n"
                                       "collective: {{op: all_to_all, size: 4 MiB, algorithm: {}}}\n",
                                       topology, flow_control, algorithm));
      const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return outcome.status == 0 ? shop.read_json("r.json")["efficiency"].get<double>() : 0;
    };
    EXPECT_GE(efficiency("balanced", "message"), 0.95) << topology;
    const double balanced = efficiency("balanced", "packet");
    EXPECT_GE(balanced, 0.9) << topology;
    EXPECT_LE(balanced, 1) << topology;
    EXPECT_GT(balanced, efficiency("direct", "packet")) << topology;
  }
}

// NCCL's dump of a DGX A100: 8 GPUs, each with 2 NVLinks to each of 6 NVSwitches.
std::string dgx_a100() {
  std::string text = "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n";
  for (int gpu = 0; gpu < 8; ++gpu) {
    text +=
        fmt::format("<pci busid=\"gpu{0}\" class=\"0x030200\"><gpu dev=\"{0}\" sm=\"80\" rank=\"{0}\">", gpu);
    for (int other = 0; other < 6; ++other)
      text += fmt::format("<nvlink target=\"switch{}\" count=\"2\" tclass=\"0x068000\"/>", other);
    text += "</gpu></pci>\n";
  }
  return text + "</cpu></system>\n";
}

// `auto` falls short of the bound only by the head flits of packets (1 flit in 17).
TEST_F(LoneCollectives, ReduceOnADgxA100AtTheBound) {
  shop.write("a100.xml", dgx_a100());
  const auto outcome = [&](const char* flow_control) {
    return result(fmt::format("kind: file, file: a100.xml}}\n  ni: {{flow_control: {}", flow_control),
                  "op: all_reduce, algorithm: auto, size: 64 MiB");
  };
  const Json packets = outcome("packet");
  EXPECT_NEAR(packets["bound"]["attainable"].get<double>(), 16.0 / 17, 1e-9);
  EXPECT_GE(packets["efficiency"].get<double>(), 0.99 * 16 / 17);
  const Json messages = outcome("message");
  EXPECT_EQ(messages["bound"]["attainable"], 1);
  EXPECT_GE(messages["efficiency"].get<double>(), 0.99);
}

// The slow dimension is always busy and never waits for the fast one.
TEST_F(LoneCollectives, ExchangeBalancedOverUnequalLinksNearTheBound) {
  for (const auto& [topology, bandwidth, least] :
       {std::tuple{"kind: torus, dims: [8, 4]", "[16 GB/s, 4 GB/s]", 0.85},
        {"kind: mesh, dims: [4, 4]", "[4 GB/s, 16 GB/s]", 0.85}}) {
    shop.write("c.yaml", fmt::format("system:\n  topology: {{{}}}\n  link: {{bandwidth: {}}}\n"
                                     "collective: {{op: all_to_all, size: 256 KiB, algorithm: balanced}}\n",
                                     topology, bandwidth));
    const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_GE(shop.read_json("r.json")["efficiency"].get<double>(), least) << topology;
  }
}

// The blocks have one element or an odd number of elements, and are sent whole or in halves.
TEST_F(LoneCollectives, RunBalancedExchangesTheSameInTrainsAndFlits) {
  for (const char* topology : {"kind: torus, dims: [4]", "kind: torus, dims: [4, 3]",
                               "kind: torus, dims: [2, 2, 2]", "kind: mesh, dims: [3, 2]"}) {
    for (const char* size : {"4 B", "100 B", "40 KiB"}) {
      std::vector<Json> cycles;
      for (const char* fidelity : {"train", "flit"}) {
        const std::string collective = fmt::format("op: all_to_all, size: {}, algorithm: balanced", size);
        const Outcome outcome = execute(
            topology, collective, {"run", "--set", std::string("fidelity=") + fidelity, "--out", "r.json"});
        ASSERT_EQ(outcome.status, 0) << topology << size << outcome.err;
        cycles.push_back(shop.read_json("r.json")["cycles"]);
      }
      EXPECT_EQ(cycles[0], cycles[1]) << topology << size;
    }
  }
}

// The result names the chosen algorithm, also for a group, and no matter which of the two keys is `auto`.
TEST_F(LoneCollectives, ReportTheirChoice) {
  const std::string torus = "kind: torus, dims: [4, 4]";
  const Json blocks = result(torus, "op: all_to_all, size: 256 KiB, algorithm: auto");
  EXPECT_EQ(blocks["chosen"], "balanced");
  EXPECT_EQ(blocks["collectives"][0]["algorithm"], "all_to_all_balanced");
  EXPECT_EQ(blocks["expected"][0]["algorithm"], "balanced");
  EXPECT_NEAR(blocks["expected"][0]["time_ns"].get<double>() / blocks["time_ns"].get<double>(), 1, 0.1);
  EXPECT_EQ(blocks["expected"].size(), 6U);
  const Outcome named = execute(torus, "op: all_to_all, size: 256 KiB, algorithm: direct",
                                {"run", "--set", "collectives.all_to_all.algorithm=auto", "--out", "r.json"});
  ASSERT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(shop.read_json("r.json")["chosen"], "balanced");
  EXPECT_FALSE(result(torus, "op: all_to_all, size: 256 KiB, algorithm: direct").contains("chosen"));
  const Json row = result(torus, "op: all_gather, size: 64 KiB, algorithm: auto, group: [0, 1, 2, 3]");
  EXPECT_EQ(row["chosen"], row["expected"][0]["algorithm"]);
}

// For two boxes of H100s at this size, the protocols belong to NVLS. Algorithms for which no protocol is
// given must not be chosen, since they would seem to have almost no costs.
TEST_F(LoneCollectives, ChooseAmongTheAlgorithmsThatProtocolsName) {
  for (const char* algorithm : {"auto", "nccl"}) {
    const Outcome outcome = shop.run({"run", shipped_config("machines/h100_2n_ib.yaml"), "--set",
                                      std::string("collective.algorithm=") + algorithm, "--set",
                                      "collective.size=1 MiB", "--out", "r.json"});
    ASSERT_EQ(outcome.status, 0) << algorithm << outcome.err;
    const Json chosen = shop.read_json("r.json");
    EXPECT_EQ(chosen["chosen"], "nvls") << algorithm;
    EXPECT_GT(chosen["time_ns"], 60e3) << algorithm;
  }
}

// With PXN, blocks change rails within the sender's box, so they do not contend between the boxes.
TEST_F(LoneCollectives, KeepTheLinksBetweenBoxesBusy) {
  const std::string boxes =
      "kind: hierarchy, dimensions: [{kind: switch, size: 8, bandwidth: 450 GB/s, latency: 600 ns}, {kind: "
      "switch, size: 4, bandwidth: 50 GB/s, latency: 2 us}]";
  const auto efficiency = [&](const std::string& algorithm) {
    return result(boxes, "op: all_to_all, size: 4 MiB, algorithm: " + algorithm)["efficiency"].get<double>();
  };
  EXPECT_GT(efficiency("pxn"), 0.9);  // one in 17 flits is a head flit
  EXPECT_LT(efficiency("direct"), 0.8);
}

TEST_F(LoneCollectives, ReportThatAllToAllsHaveNoChunks) {
  const Outcome outcome =
      execute("kind: ring, dims: [4]", "op: all_to_all, size: 1 KiB, algorithm: direct, chunks: 4");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("moves blocks, not chunks"));
}

TEST_F(LoneCollectives, AreComparedAndScheduled) {
  const std::string torus = "kind: torus, dims: [4, 4]";
  ASSERT_EQ(execute(torus, "algorithm: direct, op: all_to_all, size: 64 KiB", {"compare", "--out", "c.json"})
                .status,
            0);
  std::vector<std::string> algorithms;
  const Json blocks_compared = shop.read_json("c.json");
  for (const Json& row : blocks_compared["rows"]) {
    algorithms.push_back(row["algorithm"]);
    EXPECT_GT(row["efficiency"].get<double>(), 0);
    EXPECT_LE(row["efficiency"].get<double>(), 1);
    EXPECT_GT(row["table_bytes"].get<std::int64_t>(), 0);
  }
  EXPECT_THAT(algorithms, ::testing::UnorderedElementsAre("auto", "nccl", "direct", "at_once", "pairwise",
                                                          "ring", "hierarchical", "balanced"));
  ASSERT_EQ(
      execute(torus, "algorithm: ring, size: 64 KiB, group: [4, 5, 6, 7]", {"compare", "--out", "c.json"})
          .status,
      0);
  algorithms.clear();
  const Json row_compared = shop.read_json("c.json");
  for (const Json& row : row_compared["rows"]) algorithms.push_back(row["algorithm"]);
  EXPECT_THAT(algorithms, ::testing::IsSupersetOf({"ring", "multitree", "direct", "tree"}));
  const Outcome row = execute(torus, "algorithm: ring, size: 64 KiB, group: [4, 5, 6, 7]", {"schedule"});
  EXPECT_EQ(row.status, 0) << row.err;
  EXPECT_THAT(row.out, HasSubstr("accelerators 0 to 3 are the machine's accelerators 4, 5, 6, 7"));
  for (const char* format : {"json", "dot", "text"}) {
    const Outcome blocks =
        execute(torus, "algorithm: balanced, op: all_to_all, size: 64 KiB", {"schedule", "--format", format});
    EXPECT_EQ(blocks.status, 0) << blocks.err;
    EXPECT_THAT(blocks.out, HasSubstr("all_to_all_balanced"));
  }
}

}  // namespace
}  // namespace coppice::system_test
