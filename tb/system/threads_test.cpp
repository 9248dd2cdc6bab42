// Results must be byte-identical for any number of threads (--threads).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  const char* name;
  const char* system;
  std::vector<std::string> settings;
};

const std::vector<Case> kCases{
    {"values", "torus_8x8.yaml", {"collective.algorithm=multitree", "collective.size=16KiB", "check=values"}},
    {"packets",
     "mesh_8x8.yaml",
     {"collective.algorithm=multitree", "collective.size=64KiB", "system.ni.flow_control=packet"}},
    {"switches", "fat_tree_64.yaml", {"collective.algorithm=ring", "collective.size=16KiB"}},
    {"contended", "mesh_8x8.yaml", {"collective.algorithm=direct", "collective.size=64KiB"}},
};

std::vector<std::string> arguments(const Case& drawn, const std::string& fidelity, int threads) {
  std::vector<std::string> all{"run",          shipped_config(fmt::format("systems/{}", drawn.system)),
                               "--set",        "fidelity=" + fidelity,
                               "--threads",    std::to_string(threads),
                               "--out",        "r.json",
                               "--statistics", "s.csv"};
  for (const std::string& setting : drawn.settings) all.insert(all.end(), {"--set", setting});
  if (fidelity == "flit") all.insert(all.end(), {"--trace", "t"});
  return all;
}

TEST(ThreadsOfCollectives, ChangeNothingInAnyResult) {
  for (const Case& drawn : kCases) {
    for (const char* fidelity : {"flit", "leap"}) {
      SCOPED_TRACE(fmt::format("{}, {}", drawn.name, fidelity));
      Json first;
      std::string statistics;
      std::string trace;
      for (const int threads : {1, 2, 3, 5}) {
        const Workshop shop;
        const Outcome outcome = shop.run(arguments(drawn, fidelity, threads));
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        auto result = shop.read_json("r.json");
        EXPECT_EQ(result["simulator"]["threads"], threads);
        result.erase("simulator");
        const std::string traced = std::string(fidelity) == "flit" ? shop.read("t") : std::string();
        if (threads == 1) {
          first = result;
          statistics = shop.read("s.csv");
          trace = traced;
          continue;
        }
        EXPECT_EQ(result, first) << threads << " threads";
        EXPECT_TRUE(shop.read("s.csv") == statistics) << threads << " threads: other statistics";
        EXPECT_TRUE(traced == trace) << threads << " threads: another trace";
      }
    }
  }
}

// A run that ends at the cycle limit must also give the same output for any number of threads.
TEST(ThreadsOfCollectives, EndTheSameWayAtTheLimit) {
  std::string said;
  for (const int threads : {1, 2}) {
    const Workshop shop;
    auto line = arguments(kCases.front(), "flit", threads);
    line.insert(line.end(), {"--set", "max_cycles=2000"});
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 1);
    if (threads == 1) said = outcome.err;
    EXPECT_EQ(outcome.err, said);
  }
}

// With a waveform or with reducing switches, the kernel advances in every cycle, so a run uses one thread.
TEST(ThreadsOfCollectives, AreOneIfTheKernelAdvancesEveryCycle) {
  constexpr const char* kReducingSwitch =
      "system:\n  topology:\n    kind: hierarchy\n"
      "    dimensions: [{kind: switch, size: 4, bandwidth: 16 GB/s, latency: 20 ns, in_network: true}]\n"
      "program: {file: p.yaml}\nfidelity: flit\n";
  const std::vector<std::vector<std::string>> runs{
      {shipped_config("systems/torus_4x4.yaml"), "--set", "collective.size=16KiB", "--set", "fidelity=flit",
       "--set", "observe.nodes=[0]", "--vcd", "w.vcd"},
      {"c.yaml"}};
  for (const auto& run : runs) {
    Json first;
    for (const char* threads : {"1", "3"}) {
      const Workshop shop;
      shop.write("c.yaml", kReducingSwitch);
      shop.write("p.yaml", "ranks: 4\noperations: [{all_reduce: 4 KiB}, {all_to_all: 8 KiB}]\n");
      std::vector<std::string> line{"run", "--threads", threads, "--out", "r.json"};
      line.insert(line.end(), run.begin(), run.end());
      const Outcome outcome = shop.run(line);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      auto result = shop.read_json("r.json");
      EXPECT_EQ(result["simulator"]["threads"], 1);
      result.erase("simulator");
      if (first.is_null()) first = result;
      EXPECT_EQ(result, first) << Json::diff(first, result);
    }
  }
}

TEST(ThreadsOfCollectives, AreOneForASmallRunOrOnRequest) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  ASSERT_EQ(shop.run({"run", "c.yaml", "--set", "fidelity=flit", "--out", "r.json"}).status, 0);
  EXPECT_EQ(shop.read_json("r.json")["simulator"]["threads"], 1);
  EXPECT_NE(shop.run({"run", "c.yaml", "--threads", "-1"}).status, 0);
}

}  // namespace
}  // namespace coppice::system_test
