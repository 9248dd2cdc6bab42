#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "programs.h"

namespace coppice::system_test {
namespace {

using Json = nlohmann::ordered_json;

// With this additional operation, a collective runs in a context of the network interfaces. Without it, the
// collective uses tables that are loaded before the start.
constexpr const char* kAnother = "  - {name: z, compute: 1 ns, after: a}\n";

TEST_F(Programs, TakeTheTimeOfTheirOnlyCollective) {
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
          topology, fmt::format("ranks: 16\noperations:\n  - {{name: a, {}: 64 KiB}}\n{}", op, kAnother),
          {fmt::format("collectives.{}.algorithm={}", op, algorithm), fmt::format("fidelity={}", fidelity)});
      EXPECT_EQ(result["cycles"].get<std::int64_t>(), alone + 1) << topology << op << algorithm << fidelity;
      EXPECT_EQ(result["verified"], "values");
    }
  }
}

// On any network, with any algorithm and fidelity, either the collective and the program that consists of it
// both run, or both are refused.
TEST_F(Programs, TakeTheTimeOfTheirOnlyCollectiveOnAnyAccelerators) {
  constexpr std::array kTopologies{
      "kind: torus, dims: [4, 4]",
      "kind: mesh, dims: [3, 3]",
      "kind: ring, dims: [8]",
      "kind: fat_tree, dims: [4, 2]",
      "kind: bigraph, dims: [2, 4]",
      "kind: dgx1",
      "kind: hierarchy, dimensions: [{kind: switch, size: 4, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: ring, size: 2, links: 2, bandwidth: 8 GB/s, latency: 300 ns}]"};
  constexpr std::array kRanks{16, 9, 8, 16, 8, 8, 8};
  constexpr std::array kAlgorithms{
      "ring",   "ring2d",       "tree",      "double_tree",  "overlapped_double_tree",
      "direct", "hierarchical", "multitree", "packed_trees", "chained_multitree"};
  constexpr std::array kFidelities{"auto", "flit", "leap", "train", "fluid"};
  constexpr unsigned kSeed = 43;
  std::mt19937 random(kSeed);
  const auto draw = [&](std::size_t count) { return random() % count; };
  int ran = 0;
  for (int i = 0; i < 40; ++i) {
    const std::size_t network = draw(kTopologies.size());
    const std::string algorithm = kAlgorithms[draw(kAlgorithms.size())];
    const std::string fidelity = fmt::format("fidelity={}", kFidelities[draw(kFidelities.size())]);
    const auto size = 4 * kRanks[network] * (1 + static_cast<int>(draw(400)));
    SCOPED_TRACE(fmt::format("{} {} {} {} B", kTopologies[network], algorithm, fidelity, size));
    shop.write("a.yaml",
               fmt::format("system:\n  topology: {{{}}}\ncollective: {{algorithm: {}, size: {} B}}\n",
                           kTopologies[network], algorithm, size));
    const Outcome outcome = shop.run({"run", "a.yaml", "--out", "a.json", "--set", fidelity});
    if (outcome.status != 0) continue;
    ++ran;
    const Json result = run(kTopologies[network],
                            fmt::format("ranks: {}\noperations:\n  - {{name: a, all_reduce: {} B}}\n{}",
                                        kRanks[network], size, kAnother),
                            {"collectives.all_reduce.algorithm=" + algorithm, fidelity});
    EXPECT_EQ(result["cycles"].get<std::int64_t>(),
              shop.read_json("a.json")["cycles"].get<std::int64_t>() + 1);
  }
  EXPECT_GT(ran, 20);
}

// Reducing switches have contexts as well, so several collectives can run concurrently. For some groups, the
// switches do not reduce.
TEST_F(Programs, AddInSwitches) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: switch, size: 4, bandwidth: 16 GB/s, latency: 100 ns, "
      "in_network: true}, {kind: switch, size: 2, bandwidth: 8 GB/s, latency: 300 ns, in_network: true}]";
  for (const char* op : {"all_reduce", "reduce_scatter", "all_gather"}) {
    for (const char* fidelity : {"train", "flit"}) {
      const std::vector<std::string> settings{fmt::format("collectives.{}.algorithm=hierarchical", op),
                                              fmt::format("fidelity={}", fidelity)};
      const auto alone = cycles_alone(
          levels, fmt::format("algorithm: hierarchical, op: {}, size: 64 KiB", op), {settings[1]});
      const Json one =
          run(levels, fmt::format("ranks: 8\noperations:\n  - {{name: a, {}: 64 KiB}}\n{}", op, kAnother),
              settings);
      EXPECT_EQ(one["cycles"].get<std::int64_t>(), alone + 1) << op << fidelity;
      EXPECT_EQ(one["verified"], "values");
    }
  }
  const std::string several =
      "ranks: 8\ngroups: {some: [0, 1, 2]}\noperations:\n"
      "  - {name: a, all_reduce: 64 KiB}\n"
      "  - {name: b, all_reduce: 32 KiB}\n"
      "  - {name: c, compute: 3 us}\n"
      "  - {name: d, all_reduce: 64 KiB, after: c}\n"
      "  - {name: e, all_gather: 4 KiB, group: some}\n"
      "  - {name: f, barrier: all, after: a}\n";
  const Json result =
      run(levels, several, {"collectives.all_reduce.algorithm=hierarchical", "fidelity=flit"});
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(result["collectives"].size(), 5U);
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
  const std::vector<std::string> ring{"collectives.all_reduce.algorithm=ring"};
  const Json row = run(torus, one, ring);
  const Json rows = run(torus, all, ring);
  EXPECT_EQ(row["cycles"], rows["cycles"]);
  EXPECT_EQ(row["cycles"].get<std::int64_t>(),
            cycles_alone("kind: ring, dims: [4]", "algorithm: ring, size: 64 KiB"));
}

TEST_F(Programs, RunGroupsInTheirDimensions) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 4, bandwidth: 8 GB/s, latency: 500 ns}]";
  const Json inner =
      run(levels,
          "ranks: 16\ngroups: {g: [4, 5, 6, 7]}\noperations:\n  - {name: a, all_reduce: 1 MiB, group: g}\n",
          {"collectives.all_reduce.algorithm=ring"});
  EXPECT_EQ(inner["cycles"].get<std::int64_t>(),
            cycles_alone("kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, "
                         "latency: 100 ns}]",
                         "algorithm: ring, size: 1 MiB"));
  const Json outer =
      run(levels,
          "ranks: 16\ngroups: {g: [1, 5, 9, 13]}\noperations:\n  - {name: a, all_reduce: 1 MiB, group: g}\n",
          {"collectives.all_reduce.algorithm=ring"});
  EXPECT_EQ(outer["cycles"].get<std::int64_t>(),
            cycles_alone(
                "kind: hierarchy, dimensions: [{kind: switch, size: 4, bandwidth: 8 GB/s, latency: 500 ns}]",
                "algorithm: ring, size: 1 MiB"));
}

// Each dimension is a switch of four accelerators. A group of two accelerators per dimension is a 2x2
// hierarchy.
TEST_F(Programs, RunGroupsOnPartsOfSwitches) {
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

// A rank that joins a collective late receives all messages that were sent to it before.
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

TEST_F(Programs, RunAllToAlls) {
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

}  // namespace
}  // namespace coppice::system_test
