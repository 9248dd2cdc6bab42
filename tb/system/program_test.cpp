#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// A machine without an algorithm of its own: what is not set is chosen.
std::string machine(const std::string& topology) {
  return "system:\n  topology: {" + topology + "}\nprogram: {file: p.yaml}\n";
}

class Programs : public ::testing::Test {
 protected:
  Json run(const std::string& topology, const std::string& program,
           const std::vector<std::string>& overrides = {}) const {
    shop.write("c.yaml", machine(topology));
    shop.write("p.yaml", program);
    std::vector<std::string> arguments{"run", "c.yaml", "--out", "r.json"};
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err << program;
    return outcome.status == 0 ? shop.read_json("r.json") : Json();
  }

  std::int64_t cycles_alone(const std::string& topology, const std::string& collective,
                            const std::vector<std::string>& overrides = {}) const {
    shop.write("a.yaml", "system:\n  topology: {" + topology + "}\ncollective: {" + collective + "}\n");
    std::vector<std::string> arguments{"run", "a.yaml", "--out", "a.json"};
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return shop.read_json("a.json")["cycles"].get<std::int64_t>();
  }

  void expect_refused(const std::string& topology, const std::string& program,
                      const std::string& message) const {
    shop.write("c.yaml", machine(topology));
    shop.write("p.yaml", program);
    const Outcome outcome = shop.run({"run", "c.yaml"});
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  Workshop shop;
};

TEST_F(Programs, CostWhatTheirOnlyCollectiveCosts) {
  const std::string torus = "kind: torus, dims: [4, 4]";
  const std::string tree = "kind: fat_tree, dims: [4, 2]";
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 4, bandwidth: 8 GB/s, latency: 500 ns}]";
  for (const auto& [topology, op, algorithm] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {torus, "all_reduce", "multitree"},
           {torus, "all_gather", "ring"},
           {torus, "reduce_scatter", "multitree"},
           {torus, "broadcast", "multitree"},
           {torus, "reduce", "multitree"},
           {torus, "all_reduce", "ring2d"},
           {tree, "all_reduce", "ring"},
           {tree, "all_reduce", "halving_doubling"},
           {levels, "all_reduce", "hierarchical"}}) {
    for (const char* fidelity : {"auto", "flit"}) {
      const auto alone =
          cycles_alone(topology, fmt::format("algorithm: {}, op: {}, size: 64 KiB", algorithm, op),
                       {fmt::format("fidelity={}", fidelity)});
      const Json result = run(
          topology, fmt::format("ranks: 16\noperations:\n  - {{name: a, {}: 64 KiB}}\n", op),
          {fmt::format("collectives.{}.algorithm={}", op, algorithm), fmt::format("fidelity={}", fidelity)});
      EXPECT_EQ(result["cycles"].get<std::int64_t>(), alone) << topology << op << algorithm << fidelity;
      EXPECT_EQ(result["verified"], "values");
    }
  }
}

TEST_F(Programs, RunDisjointRowsAsFastAsOne) {
  const std::string torus = "kind: torus, dims: [4, 4]";
  const std::string one =
      "ranks: 16\ngroups: {r0: [0, 1, 2, 3]}\noperations:\n  - {name: a, all_reduce: 64 KiB, group: r0}\n";
  const std::string all =
      "ranks: 16\n"
      "groups: {r0: [0, 1, 2, 3], r1: [4, 5, 6, 7], c: [8, 12]}\n"
      "operations:\n"
      "  - {name: a, all_reduce: 64 KiB, group: r0}\n"
      "  - {name: b, all_reduce: 64 KiB, group: r1}\n";
  const Json row = run(torus, one);
  const Json rows = run(torus, all);
  EXPECT_EQ(row["cycles"], rows["cycles"]);
  EXPECT_EQ(row["cycles"].get<std::int64_t>(),
            cycles_alone("kind: ring, dims: [4]", "algorithm: ring, size: 64 KiB"));
}

TEST_F(Programs, GiveGroupsTheirDimensions) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 4, bandwidth: 8 GB/s, latency: 500 ns}]";
  const Json inner =
      run(levels,
          "ranks: 16\ngroups: {g: [4, 5, 6, 7]}\noperations:\n  - {name: a, all_reduce: 1 MiB, group: g}\n");
  EXPECT_EQ(inner["cycles"].get<std::int64_t>(),
            cycles_alone("kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, "
                         "latency: 100 ns}]",
                         "algorithm: ring, size: 1 MiB"));
  const Json outer =
      run(levels,
          "ranks: 16\ngroups: {g: [1, 5, 9, 13]}\noperations:\n  - {name: a, all_reduce: 1 MiB, group: g}\n");
  EXPECT_EQ(outer["cycles"].get<std::int64_t>(),
            cycles_alone(
                "kind: hierarchy, dimensions: [{kind: switch, size: 4, bandwidth: 8 GB/s, latency: 500 ns}]",
                "algorithm: ring, size: 1 MiB"));
}

// Two of the four that each switch joins, in either dimension, are a hierarchy of two by two.
TEST_F(Programs, GiveGroupsPartsOfSwitches) {
  const auto levels = [](int size) {
    return fmt::format(
        "kind: hierarchy, dimensions: [{{kind: switch, size: {0}, bandwidth: 16 GB/s, latency: 100 ns}}, "
        "{{kind: switch, size: {0}, bandwidth: 8 GB/s, latency: 500 ns}}]",
        size);
  };
  const std::string ones = "ranks: 16\ngroups: {g: [5, 7, 13, 15], h: [4, 6, 12, 14]}\noperations:\n";
  const std::string first = ones + "  - {name: a, all_reduce: 64 KiB, group: g}\n";
  const std::string both = first + "  - {name: b, all_reduce: 64 KiB, group: h}\n";
  for (const char* algorithm : {"ring", "hierarchical"}) {
    const std::string chosen = fmt::format("collectives.all_reduce.algorithm={}", algorithm);
    const std::int64_t alone =
        cycles_alone(levels(2), fmt::format("algorithm: {}, size: 64 KiB, chunks: 1", algorithm));
    for (const char* fidelity : {"fidelity=train", "fidelity=flit"}) {
      const std::vector<std::string> overrides{chosen, "collectives.all_reduce.chunks=1", fidelity};
      EXPECT_EQ(run(levels(4), first, overrides)["cycles"].get<std::int64_t>(), alone) << algorithm;
      EXPECT_EQ(run(levels(4), both, overrides)["cycles"].get<std::int64_t>(), alone) << algorithm;
    }
  }
}

TEST_F(Programs, KeepAllReducesInFlightTogether) {
  std::string program = "ranks: 16\noperations:\n";
  for (int i = 0; i < 8; ++i) program += fmt::format("  - {{name: a{}, all_reduce: 16 KiB}}\n", i);
  const std::string tree = "kind: fat_tree, dims: [4, 2]";
  const auto alone = cycles_alone(tree, "algorithm: ring, size: 16 KiB");
  for (const char* order : {"round_robin", "priority", "fifo"}) {
    const Json result =
        run(tree, program,
            {"collectives.all_reduce.algorithm=ring", fmt::format("system.ni.context_order={}", order)});
    EXPECT_LT(result["cycles"].get<std::int64_t>(), 4 * alone) << order;
    EXPECT_EQ(result["verified"], "values");
  }
  const Json one_by_one =
      run(tree, program, {"collectives.all_reduce.algorithm=ring", "system.ni.contexts=1"});
  EXPECT_GE(one_by_one["cycles"].get<std::int64_t>(), 7 * alone);
}

// A rank that joins late finds what was sent to it.
TEST_F(Programs, HoldDataForRanksThatHaveNotJoined) {
  const std::string program =
      "ranks: 8\n"
      "operations:\n"
      "  - {rank: 3, name: late, compute: 50 us}\n"
      "  - {name: sum, all_reduce: 64 KiB, after: late}\n"
      "  - {rank: all, name: next, compute: 1 us, after: sum}\n";
  for (const char* topology :
       {"kind: ring, dims: [8]", "kind: switch, dims: [8]", "kind: torus, dims: [4, 2]"}) {
    for (const char* algorithm : {"ring", "multitree", "direct"}) {
      for (const char* fidelity : {"auto", "flit"}) {
        const Json result = run(topology, program,
                                {fmt::format("collectives.all_reduce.algorithm={}", algorithm),
                                 fmt::format("fidelity={}", fidelity)});
        EXPECT_EQ(result["verified"], "values");
        EXPECT_GT(result["cycles"].get<std::int64_t>(), 51'000);
        const auto& iteration = result["iterations"][0];
        EXPECT_NEAR(iteration["compute_ns"].get<double>(), 50'000 / 8.0 + 1000, 1);
      }
    }
  }
}

TEST_F(Programs, TimeComputationsExactly) {
  const Json result = run("kind: ring, dims: [4]",
                          "ranks: 2\n"
                          "iterations: 3\n"
                          "operations:\n"
                          "  - {name: a, compute: 3 us}\n"
                          "  - {rank: 1, name: b, compute: 2 us}\n"
                          "  - {rank: 0, name: c, compute: {operations: 1e9}, after: a}\n",
                          {"system.accelerator.model=roofline", "system.accelerator.roofline.efficiency=1",
                           "system.accelerator.roofline.peak_tflops=1"});
  EXPECT_EQ(result["cycles"].get<std::int64_t>(), 3 * (3000 + 1'000'000));
  ASSERT_EQ(result["iterations"].size(), 3U);
  const auto& second = result["accelerators"][1];
  EXPECT_DOUBLE_EQ(second["compute_ns"].get<double>(), 15'000);
  EXPECT_DOUBLE_EQ(second["idle_ns"].get<double>(), 3 * 1'003'000.0 - 15'000);
}

TEST_F(Programs, MakeStragglersOfThoseThatJitterNames) {
  const std::string program =
      "ranks: 4\noperations:\n  - {name: a, compute: 10 us}\n  - {name: s, all_reduce: 4 KiB, after: a}\n";
  const auto nominal = run("kind: ring, dims: [4]", program)["cycles"].get<std::int64_t>();
  const Json slow = run("kind: ring, dims: [4]", program, {"program.jitter=[1, 1, 2, 1]"});
  EXPECT_NEAR(static_cast<double>(slow["cycles"].get<std::int64_t>() - nominal), 10'000, 200);
  EXPECT_NEAR(slow["iterations"][0]["bubble_ns"].get<double>(), 7'500, 1);
}

TEST_F(Programs, SendAndReceiveOverAnyNetwork) {
  const std::string program =
      "ranks: 4\n"
      "operations:\n"
      "  - {rank: 0, name: f0, compute: 5 us}\n"
      "  - {name: x, send: 100 kB, from: 0, to: 3, after: f0, kind: pipeline}\n"
      "  - {rank: 3, name: f1, compute: 5 us, after: x}\n"
      "  - {name: y, send: 1 B, from: 3, to: 0, after: f1}\n";
  for (const char* topology : {"kind: mesh, dims: [2, 2]", "kind: switch, dims: [4]", "kind: ring, dims: [4]",
                               "kind: fat_tree, dims: [2, 2]"}) {
    const Json flits = run(topology, program, {"fidelity=flit"});
    const Json trains = run(topology, program, {"fidelity=train"});
    EXPECT_EQ(flits["cycles"], trains["cycles"]) << topology;
    EXPECT_EQ(flits["verified"], "values");
    EXPECT_GT(flits["cycles"].get<std::int64_t>(), 10'000 + 100'000 / 16);
  }
}

// Where a flit takes no whole number of cycles, a message may follow another in the cycle after the channel
// has had all of it: trains take it as flits do.
TEST_F(Programs, SendMessagesCloseBehindOthersOverAnyBandwidth) {
  struct Case {
    const char* bandwidth;
    int payload;
    int latency;
    int first;
    int second;
  };
  for (const Case& one : {Case{"1.7 GB/s", 128, 35, 6438, 1870}, Case{"11.7 GB/s", 64, 29, 4522, 1267},
                          Case{"1.7 GB/s", 128, 58, 255, 5736}, Case{"13.3 GB/s", 256, 40, 8000, 300}}) {
    const std::string program = fmt::format(
        "ranks: 5\n"
        "operations:\n"
        "  - {{name: a, send: {0} B, from: 0, to: 2}}\n"
        "  - {{name: b, send: {1} B, from: 0, to: 2}}\n"
        "  - {{name: c, send: {0} B, from: 0, to: 1}}\n",
        one.first, one.second);
    const std::vector<std::string> overrides{fmt::format("system.link.bandwidth={}", one.bandwidth),
                                             fmt::format("system.link.latency={} ns", one.latency),
                                             fmt::format("system.ni.payload={} B", one.payload),
                                             "system.router.vc_depth=400"};
    const auto with = [&](const std::string& fidelity) {
      std::vector<std::string> all = overrides;
      all.push_back("fidelity=" + fidelity);
      return run("kind: ring, dims: [5]", program, all);
    };
    EXPECT_EQ(with("train")["cycles"], with("flit")["cycles"]) << one.bandwidth << one.first;
  }
}

// A message leaves the network at the port of the channel by which it comes, where it does not meet what
// comes by others.
TEST_F(Programs, ReceiveFromEveryChannelAtOnce) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: switch, size: 4, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 3, bandwidth: 4 GB/s, latency: 200 ns}]";
  const std::string inner =
      "ranks: 12\ngroups: {g: [4, 5, 6, 7]}\noperations:\n"
      "  - {name: a, all_reduce: 256 KiB, group: g}\n";
  const Json alone = run(levels, inner);
  for (const char* other :
       {"  - {name: s, send: 64 KiB, from: 1, to: 5}\n", "  - {name: s, send: 64 KiB, from: 0, to: 4}\n"}) {
    for (const char* fidelity : {"train", "flit"}) {
      const Json both = run(levels, inner + other, {fmt::format("fidelity={}", fidelity)});
      EXPECT_EQ(both["collectives"][0]["end_ns"], alone["collectives"][0]["end_ns"]) << other << fidelity;
    }
  }
}

TEST_F(Programs, ExchangeAllToAll) {
  const std::string program = "ranks: 8\noperations:\n  - {name: t, all_to_all: 32 KiB}\n";
  for (const char* topology : {"kind: ring, dims: [8]", "kind: switch, dims: [8]",
                               "kind: torus, dims: [4, 2]", "kind: fully_connected, dims: [8]"}) {
    for (const char* algorithm : {"direct", "pairwise", "ring"}) {
      const Json result =
          run(topology, program, {fmt::format("collectives.all_to_all.algorithm={}", algorithm)});
      EXPECT_EQ(result["verified"], "contributions");
      const double efficiency = result["collectives"][0]["efficiency"].get<double>();
      EXPECT_GT(efficiency, 0) << topology << algorithm;
      EXPECT_LE(efficiency, 1) << topology << algorithm;
    }
  }
}

TEST_F(Programs, WaitAtABarrier) {
  const Json result = run("kind: ring, dims: [4]",
                          "ranks: 4\n"
                          "operations:\n"
                          "  - {rank: 2, name: a, compute: 20 us}\n"
                          "  - {name: m, barrier: all, after: a}\n"
                          "  - {name: b, compute: 1 us, after: m}\n");
  for (const auto& accelerator : result["accelerators"]) {
    EXPECT_GE(accelerator["operations"].back()["begin_ns"].get<double>(), 20'000);
  }
}

TEST_F(Programs, ReportWhatTheyCannotFinish) {
  shop.write("c.yaml", machine("kind: ring, dims: [4]"));
  // Two collectives that two ranks join in opposite orders, with a context each.
  shop.write("p.yaml",
             "ranks: 2\n"
             "operations:\n"
             "  - {rank: 0, name: w, compute: 9 us}\n"
             "  - {rank: 1, name: v, compute: 9 us}\n"
             "  - {name: a, all_reduce: 4 KiB, after: w}\n"
             "  - {name: b, all_reduce: 4 KiB, after: v}\n");
  const Outcome outcome = shop.run({"run", "c.yaml", "--set", "system.ni.contexts=1"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("deadlock"), HasSubstr("system.ni.contexts")));
  EXPECT_EQ(shop.run({"run", "c.yaml"}).status, 0);
}

TEST_F(Programs, RefuseWhatCannotBe) {
  const std::string ring = "kind: ring, dims: [4]";
  expect_refused(ring, "operations: []\n", "p.yaml:1:1: ranks is missing");
  expect_refused(ring, "ranks: 5\noperations: []\n", "rank 4 on accelerator 4");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, compute: 1 us, after: b}\n",
                 "p.yaml:3:37: operations[0].after: there is no operation before it");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, all_reduce: 1 KiB, group: x}\n",
                 "there is no group 'x'");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, al_reduce: 1 KiB}\n",
                 "did you mean 'all_reduce'");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, send: 1 KiB, from: 1, to: 1}\n", "to itself");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, compute: 1 us}\n  - {name: a, compute: 1 us}\n",
                 "there is an operation 'a' already");
}

// Iterations of 5 us of computation and an all-reduce of 32 KiB.
std::string iterating(int ranks, int iterations) {
  return fmt::format(
      "ranks: {}\niterations: {}\noperations:\n"
      "  - {{name: f, compute: 5 us}}\n"
      "  - {{name: a, all_reduce: 32 KiB, after: f}}\n",
      ranks, iterations);
}

class Jobs : public Programs {
 protected:
  Outcome execute(const std::string& topology, const std::string& keys) const {
    shop.write("c.yaml", "system:\n  topology: {" + topology + "}\nprogram:\n" + keys);
    return shop.run({"run", "c.yaml", "--out", "j.json"});
  }
  Json result(const std::string& topology, const std::string& keys) const {
    const Outcome outcome = execute(topology, keys);
    EXPECT_EQ(outcome.status, 0) << outcome.err << keys;
    return outcome.status == 0 ? shop.read_json("j.json") : Json();
  }
};

TEST_F(Jobs, OnRowsOfTheirOwnTakeWhatOneTakes) {
  shop.write("row.yaml", iterating(4, 3));
  const std::string torus = "kind: torus, dims: [4, 4]";
  const Json one = result(torus, "  jobs: [{file: row.yaml, name: a}]\n");
  const Json two = result(torus,
                          "  jobs:\n    - {file: row.yaml, name: a}\n"
                          "    - {file: row.yaml, name: b, arrival: 7 us, accelerators: [8, 9, 10, 11]}\n");
  const double alone = one["jobs"][0]["end_ns"].get<double>();
  EXPECT_EQ(one["jobs"][0]["iterations"].size(), 3);
  EXPECT_EQ(two["jobs"][0]["end_ns"].get<double>(), alone);
  EXPECT_EQ(two["jobs"][1]["end_ns"].get<double>(), alone + 7000);
  EXPECT_EQ(two["time_ns"].get<double>(), alone + 7000);
  EXPECT_EQ(two["verified"], "values");
}

TEST_F(Jobs, ShareLinks) {
  shop.write("four.yaml", iterating(4, 2));
  const std::string tree = "kind: ring, dims: [8]";
  const Json one = result(tree, "  jobs: [{file: four.yaml, accelerators: [0, 2, 4, 6]}]\n");
  const Json two = result(tree,
                          "  jobs:\n    - {file: four.yaml, accelerators: [0, 2, 4, 6]}\n"
                          "    - {file: four.yaml, accelerators: [1, 3, 5, 7]}\n");
  EXPECT_GT(two["jobs"][0]["end_ns"].get<double>(), one["jobs"][0]["end_ns"].get<double>());
  EXPECT_EQ(two["jobs"][1]["iterations"].size(), 2);
}

TEST_F(Jobs, AreRefusedWithoutAccelerators) {
  shop.write("row.yaml", iterating(4, 1));
  const auto expect = [&](const std::string& keys, const std::string& message) {
    const Outcome outcome = execute("kind: torus, dims: [4, 2]", keys);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  expect("  jobs: [{file: row.yaml}, {file: row.yaml}, {file: row.yaml}]\n",
         "program.jobs[2]: row.yaml has 4 ranks, for which there are 0 accelerators");
  expect("  jobs: [{file: row.yaml}, {file: row.yaml, accelerators: [3, 4, 5, 6]}]\n",
         "accelerator 3 has a rank already");
  expect("  jobs: [{file: row.yaml, accelerators: [5, 6, 7, 8]}]\n", "there is no accelerator 8");
  expect("  jobs: [{arrival: 1 us}]\n", "program.jobs[0].file is missing");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{link: [0, 6], at: 1 us}]\n",
         "there is no link between 0 and 6");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 8, at: 1 us}]\n",
         "there is no accelerator 8");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{at: 1 us}]\n", "either a link or an accelerator fails");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 1}]\n", "program.failures[0].at is missing");
  expect("  jobs: [{file: row.yaml}]\n  file: row.yaml\n",
         "program.jobs and program.file both say what runs");
}

// What is lost is the iteration under way and the time of the restart.
TEST_F(Jobs, GoOnFromTheLastIterationAfterAFailure) {
  shop.write("all.yaml", iterating(8, 4));
  const std::string torus = "kind: torus, dims: [4, 2]";
  const Json whole = result(torus, "  jobs: [{file: all.yaml}]\n");
  const auto ends = [](const Json& run) {
    std::vector<double> list;
    for (const Json& one : run["jobs"][0]["iterations"]) list.push_back(one["end_ns"].get<double>());
    return list;
  };
  const std::vector<double> usual = ends(whole);
  ASSERT_EQ(usual.size(), 4U);
  const double at = std::floor((usual[1] + usual[2]) / 2000) * 1000;
  const std::string failing = fmt::format(
      "  jobs: [{{file: all.yaml}}]\n  restart: 3 us\n"
      "  failures: [{{link: [0, 1], at: {} ns}}]\n",
      at);
  const Json failed = result(torus, failing);
  const std::vector<double> after = ends(failed);
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after[0], usual[0]);
  EXPECT_EQ(after[1], usual[1]);
  // Two iterations on a network with a link less, each no faster than before.
  EXPECT_GE(after[3], at + 3000 + usual[1] - 1);
  EXPECT_EQ(failed["failures"][0]["effect"], "stopped");
  EXPECT_EQ(failed["stretches"].size(), 2);
  EXPECT_EQ(failed["time_ns"].get<double>(), after[3]);
  // What fails after the end changes nothing.
  const Json late = result(torus, "  jobs: [{file: all.yaml}]\n  failures: [{link: [0, 1], at: 1 s}]\n");
  EXPECT_EQ(ends(late), usual);
  EXPECT_EQ(late["failures"][0]["effect"], "after the end");
}

TEST_F(Jobs, MoveToIdleAcceleratorsOrSayWhatStaysUnfinished) {
  shop.write("row.yaml", iterating(4, 3));
  const std::string torus = "kind: torus, dims: [4, 2]";
  const Json moved = result(torus, "  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 1, at: 20 us}]\n");
  EXPECT_THAT(moved["failures"][0]["effect"].get<std::string>(), HasSubstr("went on on accelerator 4"));
  EXPECT_EQ(moved["jobs"][0]["iterations"].size(), 3);
  const Json idle = result(torus, "  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 6, at: 20 us}]\n");
  EXPECT_EQ(idle["failures"][0]["effect"], "none: it had no rank");
  const Json full = result(torus,
                           "  jobs: [{file: row.yaml}, {file: row.yaml}]\n"
                           "  failures: [{accelerator: 1, at: 20 us}]\n");
  EXPECT_THAT(full["jobs"][0]["unfinished"].get<std::string>(), HasSubstr("no other is idle"));
  EXPECT_LT(full["jobs"][0]["iterations"].size(), 3);
  EXPECT_EQ(full["jobs"][1]["iterations"].size(), 3);
}

// What fails where a job has ended, while others run, stops nobody.
TEST_F(Jobs, GoOnWhereNobodyNeedsWhatFails) {
  shop.write("short.yaml", iterating(4, 1));
  shop.write("long.yaml", iterating(4, 4));
  const std::string torus = "kind: torus, dims: [4, 2]";
  const std::string jobs = "  jobs: [{file: short.yaml}, {file: long.yaml}]\n";
  const Json whole = result(torus, jobs);
  const auto& ends = whole["jobs"][1]["iterations"];
  const double at = (ends[2]["end_ns"].get<double>() + ends[3]["end_ns"].get<double>()) / 2;
  ASSERT_GT(at, whole["jobs"][0]["end_ns"].get<double>());
  const Json failed =
      result(torus, jobs + fmt::format("  failures: [{{accelerator: 1, at: {} ns}}]\n", std::floor(at)));
  EXPECT_EQ(failed["failures"][0]["effect"], "none: it had no rank");
  EXPECT_EQ(failed["jobs"][1]["iterations"], ends);
  EXPECT_EQ(failed["time_ns"], whole["time_ns"]);
  EXPECT_EQ(failed["stretches"].size(), 1);
}

// What fails while the last credits are under way finds all ended.
TEST_F(Jobs, EndBeforeTheirLastCreditsAreBack) {
  shop.write("row.yaml", iterating(4, 1));
  const std::string jobs = "  jobs: [{file: row.yaml}]\n";
  const std::string flits = "fidelity: flit\n";
  const Json whole = result("kind: switch, dims: [8]", jobs + flits);
  const double end = whole["jobs"][0]["end_ns"].get<double>();
  for (const int later : {1, 20, 149}) {
    const Json failed =
        result("kind: switch, dims: [8]",
               jobs + fmt::format("  failures: [{{accelerator: 1, at: {} ns}}]\n", end + later) + flits);
    EXPECT_EQ(failed["jobs"][0]["iterations"], whole["jobs"][0]["iterations"]) << later;
    EXPECT_EQ(failed["failures"][0]["effect"], "after the end") << later;
  }
}

// A switch with a link less no longer reaches everyone: who needs the accelerator ends, others go on.
TEST_F(Jobs, GoOnWhereOthersAreCutOff) {
  shop.write("row.yaml", iterating(4, 3));
  const std::string jobs = "  jobs: [{file: row.yaml}, {file: row.yaml}]\n";
  const Json whole = result("kind: switch, dims: [8]", jobs);
  const Json cut = result("kind: switch, dims: [8]",
                          jobs + "  failures: [{link: [0, 8], at: 0 s}, {link: [7, 8], at: 1 s}]\n");
  EXPECT_EQ(cut["jobs"][0]["unfinished"], "the links that are left do not join accelerators 0 and 1");
  EXPECT_EQ(cut["jobs"][1]["iterations"], whole["jobs"][1]["iterations"]);
  EXPECT_EQ(cut["failures"][1]["effect"], "after the end");
  // Nobody is left.
  const Json none = result("kind: switch, dims: [8]",
                           jobs + "  failures: [{link: [0, 8], at: 20 us}, {link: [7, 8], at: 20 us}]\n");
  for (const Json& job : none["jobs"]) {
    EXPECT_THAT(job["unfinished"].get<std::string>(), HasSubstr("do not join"));
    EXPECT_LT(job["iterations"].size(), 3);
  }
  const Outcome never = execute("kind: switch, dims: [4]",
                                "  jobs: [{file: row.yaml}]\n  failures: [{link: [0, 4], at: 0 s}]\n");
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.err, HasSubstr("program.failures: nothing can run: the links that are left do not join"));
}

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

TEST_F(Programs, TraceOpensWithAllAccelerators) {
  shop.write("c.yaml", machine("kind: ring, dims: [4]"));
  shop.write("p.yaml",
             "ranks: 4\noperations:\n  - {name: 'a\"b', compute: 3 us}\n  - {name: s, all_reduce: 4 KiB, "
             "after: 'a\"b'}\n");
  ASSERT_EQ(shop.run({"run", "c.yaml", "--trace", "t.json"}).status, 0);
  int computations = 0;
  int collectives = 0;
  for (const auto& event : shop.read_json("t.json")) {
    if (event["ph"] != "X") continue;
    if (event["name"] == "a\"b") ++computations;
    if (event["name"] == "s") ++collectives;
  }
  EXPECT_EQ(computations, 4);
  EXPECT_EQ(collectives, 4);
}

// Random programs, and what must hold of them by their text alone: a rank's operation starts after those it
// names, computations take their time and do not overlap, nothing that joins others ends before all have
// joined, and the parts of the time add up.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {
    for (int g = 0; g < 3; ++g) {
      std::vector<int> members;
      for (int rank = 0; rank < kRanks; ++rank) {
        if (below(2) == 0) members.push_back(rank);
      }
      if (members.empty()) members.push_back(below(kRanks));
      groups.push_back(members);
    }
    for (int i = 0; i < 14; ++i) add(i);
  }

  static constexpr int kRanks = 8;
  struct Part {
    std::vector<int> ranks;
    std::vector<int> after;
    int compute_us = 0;  // 0: joins others
    std::string text;
  };

  std::string text() const {
    std::string yaml = fmt::format("ranks: {}\ngroups:\n", kRanks);
    for (std::size_t g = 0; g < groups.size(); ++g)
      yaml += fmt::format("  g{}: [{}]\n", g, fmt::join(groups[g], ", "));
    yaml += "operations:\n";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<std::string> names;
      for (const int before : parts[i].after) names.push_back(fmt::format("o{}", before));
      yaml += fmt::format("  - {{name: o{}, {}, after: [{}]}}\n", i, parts[i].text, fmt::join(names, ", "));
    }
    return yaml;
  }

  std::vector<std::vector<int>> groups;
  std::vector<Part> parts;

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }

  void add(int i) {
    Part part;
    for (int before = 0; before < i; ++before) {
      if (below(4) == 0) part.after.push_back(before);
    }
    const int kind = below(5);
    if (kind < 2) {
      part.compute_us = 1 + below(9);
      part.ranks = groups[static_cast<std::size_t>(below(3))];
      part.text = fmt::format("rank: [{}], compute: {} us", fmt::join(part.ranks, ", "), part.compute_us);
    } else if (kind < 4) {
      static const char* const kOps[] = {"all_reduce", "reduce_scatter", "all_gather",
                                         "broadcast",  "reduce",         "all_to_all"};
      const int g = below(3);
      part.ranks = groups[static_cast<std::size_t>(g)];
      const int op = below(6);
      const std::string root =
          op == 3 || op == 4
              ? fmt::format(", root: {}",
                            part.ranks[static_cast<std::size_t>(below(static_cast<int>(part.ranks.size())))])
              : "";
      part.text =
          fmt::format("{}: {} B, group: g{}, priority: {}{}", kOps[op], 1 + below(5000), g, below(3), root);
    } else {
      const int from = below(kRanks);
      const int to = (from + 1 + below(kRanks - 1)) % kRanks;
      part.ranks = {from, to};
      part.text = fmt::format("send: {} B, from: {}, to: {}", 1 + below(20000), from, to);
    }
    parts.push_back(part);
  }

  std::mt19937 random_;
};

TEST_F(Programs, KeepEveryOrderAtRandom) {
  const std::vector<std::string> topologies{"kind: torus, dims: [4, 2]", "kind: switch, dims: [8]",
                                            "kind: fat_tree, dims: [4, 2]", "kind: dgx1",
                                            "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, "
                                            "bandwidth: 16 GB/s, latency: 100 ns}, {kind: "
                                            "switch, size: 2, bandwidth: 16 GB/s, latency: 500 ns}]"};
  const std::vector<std::string> orders{"round_robin", "priority", "fifo"};
  for (std::uint32_t seed = 0; seed < 15; ++seed) {
    const RandomProgram program(seed);
    const Json result = run(topologies[seed % topologies.size()], program.text(),
                            {"system.ni.contexts=16", "collective.algorithm=ring",
                             "system.ni.context_order=" + orders[seed % orders.size()]});
    ASSERT_FALSE(result.is_null());
    std::map<std::string, std::map<int, std::pair<double, double>>> times;  // begin, end
    for (const auto& accelerator : result["accelerators"]) {
      double busy = 0;
      std::vector<std::pair<double, double>> computing;
      for (const auto& operation : accelerator["operations"]) {
        const std::string name = operation["name"];
        const std::pair one{operation["begin_ns"].get<double>(), operation["end_ns"].get<double>()};
        times[name][accelerator["rank"].get<int>()] = one;
        const int us = program.parts[std::stoul(name.substr(1))].compute_us;
        if (us == 0) continue;
        EXPECT_DOUBLE_EQ(one.second - one.first, us * 1000.0);
        busy += us * 1000.0;
        computing.push_back(one);
      }
      std::sort(computing.begin(), computing.end());
      for (std::size_t i = 1; i < computing.size(); ++i)
        EXPECT_GE(computing[i].first, computing[i - 1].second);
      EXPECT_NEAR(accelerator["compute_ns"].get<double>(), busy, 1e-6);
      EXPECT_NEAR(accelerator["time_ns"].get<double>(),
                  accelerator["compute_ns"].get<double>() + accelerator["memory_ns"].get<double>() +
                      accelerator["exposed_ns"].get<double>() + accelerator["bubble_ns"].get<double>() +
                      accelerator["idle_ns"].get<double>(),
                  1e-6);
    }
    for (std::size_t i = 0; i < program.parts.size(); ++i) {
      const auto& part = program.parts[i];
      const auto& own = times[fmt::format("o{}", i)];
      ASSERT_EQ(own.size(), part.ranks.size());
      for (const int before : part.after) {
        for (const auto& [rank, time] : times[fmt::format("o{}", before)]) {
          if (!own.contains(rank)) continue;
          EXPECT_GE(own.at(rank).first, time.second) << seed << " o" << i;
        }
      }
      if (part.compute_us > 0 || part.text.starts_with("send") || part.text.starts_with("reduce: ") ||
          part.text.starts_with("broadcast")) {
        continue;
      }
      double last = 0;
      for (const auto& [rank, time] : own) last = std::max(last, time.first);
      for (const auto& [rank, time] : own) EXPECT_GE(time.second, last) << seed << " o" << i;
    }
  }
}

}  // namespace
}  // namespace coppice::system_test
