#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "programs.h"
#include "support/random_program.h"

namespace coppice::system_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRanks = 8;

RandomProgram program_of(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  return {below, kRanks, 14};
}

const std::vector<std::string> kTopologies{"kind: torus, dims: [4, 2]", "kind: switch, dims: [8]",
                                           "kind: fat_tree, dims: [4, 2]", "kind: dgx1",
                                           "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, "
                                           "bandwidth: 16 GB/s, latency: 100 ns}, {kind: "
                                           "switch, size: 2, bandwidth: 16 GB/s, latency: 500 ns}]"};

// The settings with which the program of `seed` runs.
std::vector<std::string> settings_of(std::uint32_t seed) {
  const std::vector<std::string> orders{"round_robin", "priority", "fifo"};
  return {"system.ni.contexts=16", "collective.algorithm=ring",
          "system.ni.context_order=" + orders[seed % orders.size()]};
}

// In every program, an operation starts after its predecessors, computations have the given durations and do
// not overlap, a collective does not end before all of its ranks have joined, and the parts of each
// accelerator's time add up.
TEST_F(Programs, KeepEveryRandomOrder) {
  for (std::uint32_t seed = 0; seed < 15; ++seed) {
    const RandomProgram program = program_of(seed);
    const Json result = run(kTopologies[seed % kTopologies.size()], program.text(), settings_of(seed));
    ASSERT_FALSE(result.is_null());
    std::map<std::string, std::map<int, std::pair<double, double>>>
        times;  // begin and end times, keyed by operation and rank
    for (const auto& accelerator : result["accelerators"]) {
      double busy = 0;
      std::vector<std::pair<double, double>> computing;
      for (const auto& operation : accelerator["operations"]) {
        const std::string name = operation["name"];
        const std::pair one{operation["begin_ns"].get<double>(), operation["end_ns"].get<double>()};
        times[name][accelerator["rank"].get<int>()] = one;
        const int us = program.operations[std::stoul(name.substr(1))].compute_us;
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
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      const RandomProgram::Operation& part = program.operations[i];
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

// Results must be byte-identical for any number of threads.
class Threads : public Programs {};

TEST_F(Threads, ChangeNothingInAnyProgram) {
  for (std::uint32_t seed = 0; seed < 15; ++seed) {
    const RandomProgram program = program_of(seed);
    std::vector<std::string> settings = settings_of(seed);
    settings.push_back(seed % 3 == 0 ? "fidelity=leap" : "fidelity=flit");
    const auto of = [&](const char* threads) {
      Json result =
          run(kTopologies[seed % kTopologies.size()], program.text(), settings, {"--threads", threads});
      EXPECT_EQ(result["simulator"]["threads"], std::stoi(threads));
      result.erase("simulator");
      return result;
    };
    const Json one = of("1");
    EXPECT_EQ(of("2"), one) << seed;
    EXPECT_EQ(of("5"), one) << seed;
  }
}

}  // namespace
}  // namespace coppice::system_test
