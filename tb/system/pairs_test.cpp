// Runs every algorithm on every kind of network with the installed command. Either the result is verified, or
// the run is refused with a reason at the algorithm's key. If the check reports a schedule as free of
// contention, its simulation must not have any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A network and the outcome of each algorithm in kAlgorithms on it: f (works without contention), w (works)
// or r (refused).
struct Network {
  const char* name;
  const char* topology;  // in YAML's flow style
  const char* outcomes;
};

constexpr std::array kAlgorithms{"ring",
                                 "ring2d",
                                 "tree",
                                 "double_tree",
                                 "overlapped_tree",
                                 "overlapped_double_tree",
                                 "halving_doubling",
                                 "hdrm",
                                 "direct",
                                 "hierarchical",
                                 "multitree",
                                 "multitree_optimal",
                                 "chained_multitree",
                                 "rabenseifner",
                                 "swing",
                                 "bine",
                                 "bucket",
                                 "two_shot",
                                 "one_shot"};

void PrintTo(const Network& network, std::ostream* out) {
  *out << network.name;
}

constexpr const char* kRingsOfSwitches =
    "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 150 ns}, "
    "{kind: switch, size: 2, bandwidth: 16 GB/s, latency: 300 ns}]";

constexpr Network kNetworks[] = {
    // clang-format off
    {"Torus4x4",         "kind: torus, dims: [4, 4]",           "ffwwwwwrwrfffwfwfww"},
    {"Torus3x5",         "kind: torus, dims: [3, 5]",           "ffffffrrwrfffwrrwww"},
    {"Torus2x4",         "kind: torus, dims: [2, 4]",           "ffwwwwwrwrfffwwfwww"},
    {"Torus3x3x3",       "kind: torus, dims: [3, 3, 3]",        "frwwwwrrwrfffwrrfww"},
    {"Mesh4x4",          "kind: mesh, dims: [4, 4]",            "ffwwwwwrwrfffwwwrww"},
    {"Mesh3x3",          "kind: mesh, dims: [3, 3]",            "ffwwwwrrwrfffwrrrww"},
    {"Line5",            "kind: mesh, dims: [5]",               "frfwfwrrwrfffwrrrww"},
    {"Ring8",            "kind: ring, dims: [8]",               "frfwfwwrwrfffwwwfww"},
    {"FullyConnected6",  "kind: fully_connected, dims: [6]",    "frffffrrfrffffrrrff"},
    {"Switch8",          "kind: switch, dims: [8]",             "frwwwwfrfrffffffrww"},
    {"FatTree4x2",       "kind: fat_tree, dims: [4, 2]",        "frwwwwwrwrfffwwwrww"},
    {"FatTree2x3",       "kind: fat_tree, dims: [2, 3]",        "frwwwwwrwrfffwwwrww"},
    {"FatTree8x2x0",     "kind: fat_tree, dims: [8, 2, 0]",     "frwwwwwrwrfffwwwrww"},
    {"FatTree4x3x2",     "kind: fat_tree, dims: [4, 3, 2]",     "frwwwwrrwrwwwwrrrww"},
    {"Bigraph2x4",       "kind: bigraph, dims: [2, 4]",         "frwwwwwfwrfffwwwrww"},
    {"Bigraph4x8",       "kind: bigraph, dims: [4, 8]",         "frwwwwwfwrfffwwwrww"},
    {"Bigraph3x6",       "kind: bigraph, dims: [3, 6]",         "frwwwwrrwrwwwwrrrww"},
    {"Dgx1",             "kind: dgx1",                          "frfffffrwrffffwwrww"},
    {"Clos4x2x2",        "kind: clos, dims: [4, 2, 2]",         "frwwwwwrwrwwwwwwrww"},
    {"RingsOfSwitches",  kRingsOfSwitches,                      "frwwwwwrwffffwwfrww"},
    {"GraphFile",        "kind: file, file: n.graph",           "frfffffrfrffffffrff"},
    // clang-format on
};

// Four accelerators in a square with both diagonals.
constexpr const char* kGraph =
    "accelerators 4\n"
    "link 0 -- 1\nlink 1 -- 2\nlink 2 -- 3\nlink 3 -- 0\nlink 0 -- 2\nlink 1 -- 3\n";

class PairsTest : public ::testing::TestWithParam<Network> {};

TEST_P(PairsTest, EveryAlgorithmIsVerifiedOrRejected) {
  const Workshop shop;
  shop.write("n.graph", kGraph);
  std::string outcomes;
  for (const char* algorithm : kAlgorithms) {
    // With the first size, chunks take longer than the latency of a path; with the second, they do not.
    char outcome = 'f';
    for (const char* size : {"256 KiB", "8 KiB"}) {
      shop.write(
          "c.yaml",
          fmt::format("system: {{topology: {{{}}}}}\ncollective:\n  algorithm: {}\n  chunks: 1\n  size: {}\n",
                      GetParam().topology, algorithm, size));
      const Outcome run = shop.run({"run", "c.yaml", "--out", "r.json"});
      if (run.status == 2) {
        EXPECT_THAT(run.err, StartsWith("c.yaml:3:14: collective.algorithm: "));
        outcome = 'r';
        break;
      }
      EXPECT_EQ(run.status, 0) << algorithm << ' ' << size << ": " << run.err;
      if (run.status != 0) break;
      const auto result = shop.read_json("r.json");
      EXPECT_EQ(result["verified"], "values") << algorithm;
      if (result["contention_free"].get<bool>()) {
        EXPECT_EQ(result["fidelity"], "train")
            << algorithm << ' ' << size << ": " << result["fidelity_reason"];
      } else if (std::string(size) == "256 KiB") {
        outcome = 'w';
      }
    }
    outcomes += outcome;
  }
  EXPECT_EQ(outcomes, GetParam().outcomes);
}

// The test fails if a new algorithm is missing in kAlgorithms.
TEST(Pairs, IncludeEveryAlgorithm) {
  const Workshop shop;
  const std::string listed = shop.run({"list"}).out;
  const std::size_t begin = listed.find("algorithms");
  const std::string algorithms = listed.substr(begin, listed.find("patterns") - begin);
  for (const char* algorithm : kAlgorithms) {
    EXPECT_THAT(algorithms, HasSubstr(fmt::format("\n  {} ", algorithm)));
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(algorithms, '\n'));
  // The other 12 lines are the heading, four algorithms for all-to-alls only, and seven algorithms that have
  // tests of their own and occur in random systems: file, packed_trees, auto, rail_ring, rail_tree, nvls and
  // nccl.
  EXPECT_EQ(lines, kAlgorithms.size() + 12) << algorithms;
}

INSTANTIATE_TEST_SUITE_P(Pairs, PairsTest, ::testing::ValuesIn(kNetworks),
                         [](const auto& network) { return std::string(network.param.name); });

// Without contention, flits and trains must take the same number of cycles.
TEST(Pairs, TakeTheSameTimeInFlitsWithoutContention) {
  const Workshop shop;
  for (const auto& [topology, algorithm] : {std::pair{"kind: bigraph, dims: [2, 4]", "multitree"},
                                            {"kind: bigraph, dims: [2, 4]", "hdrm"},
                                            {"kind: fat_tree, dims: [2, 3]", "multitree"},
                                            {"kind: torus, dims: [2, 4]", "multitree_optimal"},
                                            {"kind: switch, dims: [8]", "direct"}}) {
    shop.write("c.yaml",
               fmt::format("system: {{topology: {{{}}}}}\ncollective:\n  algorithm: {}\n  size: 64 KiB\n",
                           topology, algorithm));
    std::array<nlohmann::ordered_json, 2> cycles;
    for (const auto& [fidelity, taken] : {std::pair{"train", &cycles[0]}, {"flit", &cycles[1]}}) {
      const Outcome run =
          shop.run({"run", "c.yaml", "--set", fmt::format("fidelity={}", fidelity), "--out", "r.json"});
      ASSERT_EQ(run.status, 0) << topology << run.err;
      *taken = shop.read_json("r.json")["cycles"];
    }
    EXPECT_EQ(cycles[0], cycles[1]) << topology << ' ' << algorithm;
  }
}

// The number of cycles of all timesteps, one after another, with 17 flits per 256-byte packet.
double arithmetic_cycles(const nlohmann::ordered_json& result, double size, int accelerators) {
  return result["steps"].get<double>() * (size / accelerators) / 256 * 17;
}

// At 64 MiB, MultiTree must take at most 5% longer than its timesteps, each of which lasts as long as a
// chunk's flits.
TEST(Efficiency, LargeMultiTreesTakeTheTimeOfTheirTimesteps) {
  const Workshop shop;
  for (const auto& [system, accelerators] : {std::pair{"torus_4x4", 16},
                                             {"torus_8x8", 64},
                                             {"mesh_4x4", 16},
                                             {"mesh_8x8", 64},
                                             {"fat_tree_16", 16},
                                             {"fat_tree_64", 64},
                                             {"bigraph_4x8", 32},
                                             {"bigraph_4x16", 64}}) {
    const Outcome run = shop.run({"run", shipped_config(fmt::format("systems/{}.yaml", system)), "--set",
                                  "collective.size=64 MiB", "--set", "fidelity=train", "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << system << run.err;
    const auto result = shop.read_json("r.json");
    const double cycles = result["cycles"].get<double>();
    const double arithmetic = arithmetic_cycles(result, 64 << 20, accelerators);
    EXPECT_GE(cycles, arithmetic) << system;
    EXPECT_LE(cycles, 1.05 * arithmetic) << system;
  }
}

// Uses message-based flow control and as many pieces as an accelerator has links, so that all links are busy
// in every timestep.
TEST(Efficiency, LargeOptimalTreesComeNearTheBound) {
  const Workshop shop;
  // `reachable` is the lower bound divided by the time of trees with equal shares. On a mesh, such trees are
  // limited by the corners, which receive all shares except their own over two links.
  for (const auto& [system, chunks, reachable] : {std::tuple{"torus_4x4", 4, 1.0},
                                                  {"torus_8x8", 4, 1.0},
                                                  {"mesh_4x4", 2, 2. / 3},
                                                  {"mesh_8x8", 2, 4. / 7}}) {
    const Outcome run = shop.run(
        {"run", shipped_config(fmt::format("systems/{}.yaml", system)), "--set", "collective.size=64 MiB",
         "--set", "collective.algorithm=multitree_optimal", "--set", "system.ni.flow_control=message",
         "--set", fmt::format("collective.chunks={}", chunks), "--set", "fidelity=train", "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << system << run.err;
    EXPECT_GE(shop.read_json("r.json")["efficiency"].get<double>(), 0.97 * reachable) << system;
  }
}

// A broadcast uses a single tree from the root to all other accelerators; a reduce uses one from all others
// to the root.
TEST(Rooted, BroadcastAndReduceAreVerifiedOnEveryNetwork) {
  const Workshop shop;
  shop.write("n.graph", kGraph);
  for (const Network& network : kNetworks) {
    for (const char* op : {"broadcast", "reduce"}) {
      shop.write("c.yaml",
                 fmt::format("system: {{topology: {{{}}}}}\ncollective: {{op: {}, root: 3, algorithm: "
                             "multitree, size: 16 KiB, chunks: 4}}\n",
                             network.topology, op));
      const Outcome run = shop.run({"run", "c.yaml", "--out", "r.json"});
      ASSERT_EQ(run.status, 0) << network.name << ' ' << op << ": " << run.err;
      const auto result = shop.read_json("r.json");
      EXPECT_EQ(result["verified"], "values");
      EXPECT_EQ(result["config"]["collective"]["root"], 3);
      EXPECT_LE(result["efficiency"].get<double>(), 1);
    }
  }
}

TEST(Rooted, AreRejectedWithoutATreeOrARoot) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  Outcome outcome = shop.run({"run", "c.yaml", "--set", "collective.op=broadcast"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("c.yaml:10:14: collective.algorithm: ring has no rooted tree for "
                                      "broadcast: write multitree or multitree_optimal"));
  outcome = shop.run({"run", "c.yaml", "--set", "collective.op=reduce", "--set",
                      "collective.algorithm=multitree", "--set", "collective.root=16"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("collective.root is 16, but torus 4x4 has accelerators 0 to 15"));
}

// Each refusal must give the location of the key that is at fault.
TEST(BadNetworks, AreRejectedAtTheirKeys) {
  const Workshop shop;
  shop.write("apart.graph", "accelerators 4\nlink 0 -- 1\nlink 2 -- 3\n");
  shop.write("alone.graph", "accelerators 3\nlink 0 -- 1\n");
  const auto refusal = [&](const std::string& topology, const std::string& algorithm,
                           const std::string& size) {
    shop.write("c.yaml", fmt::format("system:\n  topology: {}\ncollective: {{algorithm: {}, size: {}}}\n",
                                     topology, algorithm, size));
    const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
    EXPECT_EQ(outcome.status, 2) << topology << ' ' << algorithm;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, ::testing::MatchesRegex("(c.yaml|[a-z]+.graph):[0-9]+:[0-9]+: .*\n"));
    return outcome.err;
  };
  EXPECT_THAT(refusal("{kind: torus, dims: [4, 4]}", "hdrm", "1 KiB"),
              HasSubstr("hdrm needs a bigraph, not torus 4x4"));
  EXPECT_THAT(refusal("{kind: bigraph, dims: [3, 8]}", "hdrm", "1 KiB"), HasSubstr("a power-of-two number"));
  EXPECT_THAT(refusal("{kind: fat_tree, dims: [4, 2]}", "ring2d", "1 KiB"),
              HasSubstr("ring2d needs a torus or mesh with two dimensions wider than 1, not fat_tree 4x2"));
  EXPECT_THAT(refusal("{kind: fat_tree, dims: [4, 3, 0]}", "ring", "1 KiB"),
              HasSubstr("a fat_tree of 3 leaves needs spines"));
  EXPECT_THAT(refusal("{kind: fat_tree, dims: [0, 2]}", "ring", "1 KiB"), HasSubstr("k"));
  EXPECT_THAT(refusal("{kind: torus, dims: [4, 0]}", "ring", "1 KiB"), HasSubstr("dims[1]"));
  EXPECT_THAT(refusal("{kind: file, file: apart.graph}", "multitree", "1 KiB"), HasSubstr("0"));
  EXPECT_THAT(refusal("{kind: file, file: alone.graph}", "multitree", "1 KiB"), HasSubstr("2"));
  EXPECT_THAT(shop.files(), ::testing::ElementsAre("alone.graph", "apart.graph", "c.yaml"));
}

}  // namespace
}  // namespace coppice::system_test
