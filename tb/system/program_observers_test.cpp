// The result of a program must have all fields of the result of a single collective.
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kLate =
    "ranks: 4\noperations:\n"
    "  - {name: w, compute: 3 us}\n"
    "  - {name: a, all_reduce: 16 KiB, after: w}\n"
    "  - {name: v, compute: 1 us, after: a}\n";
constexpr const char* kRing = "kind: ring, dims: [4]";

TEST_F(Programs, DivideTheTimeOfPorts) {
  const std::vector<std::string> settings{"collectives.all_reduce.algorithm=ring", "fidelity=flit"};
  const Json late = run(kRing, kLate, settings)["time_breakdown_cycles"];
  const Json alone = run(kRing, "ranks: 4\noperations:\n  - {name: a, all_reduce: 16 KiB}\n",
                         settings)["time_breakdown_cycles"];
  ASSERT_TRUE(late.contains("idle")) << late;
  EXPECT_FALSE(alone.contains("idle")) << alone;
  double all = 0;
  for (const auto& [part, cycles] : late.items()) {
    if (part != "idle" && part != "finished") {
      EXPECT_EQ(cycles, alone[part]) << part;
    }
    all += cycles.get<double>();
  }
  EXPECT_DOUBLE_EQ(all, run(kRing, kLate, settings)["cycles"].get<double>());
}

TEST_F(Programs, ReportWhenGradientsBecameFinal) {
  const std::vector<std::string> settings{"collectives.all_reduce.algorithm=ring"};
  const Json late = run(kRing, kLate, settings);
  const Json alone = run(kRing, "ranks: 4\noperations:\n  - {name: a, all_reduce: 16 KiB}\n", settings);
  ASSERT_TRUE(alone.contains("gradients"));
  EXPECT_EQ(late["collectives"][0]["gradients"], alone["gradients"]);
}

TEST_F(Programs, ReportTheTrafficOfTheDimensionsOfAHierarchy) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 2, bandwidth: 8 GB/s, latency: 500 ns}]";
  const std::vector<std::string> settings{"collectives.all_reduce.algorithm=hierarchical"};
  const Json alone = run(levels, "ranks: 8\noperations:\n  - {name: a, all_reduce: 64 KiB}\n", settings);
  const Json twice = run(levels,
                         "ranks: 8\noperations:\n  - {name: a, all_reduce: 64 KiB}\n"
                         "  - {name: b, all_reduce: 64 KiB, after: a}\n",
                         settings);
  ASSERT_EQ(alone["dimensions"].size(), 2U);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_DOUBLE_EQ(twice["dimensions"][d]["bytes_per_accelerator"].get<double>(),
                     2 * alone["dimensions"][d]["bytes_per_accelerator"].get<double>());
    EXPECT_FALSE(twice["dimensions"][d]["activity"].empty());
  }
}

TEST_F(Programs, WriteValueChangeDumps) {
  const auto cycles = run(kRing, kLate, {"fidelity=flit"})["cycles"];
  EXPECT_EQ(run(kRing, kLate, {}, {"--vcd", "w.vcd"})["cycles"], cycles);
  EXPECT_THAT(shop.read("w.vcd"), HasSubstr("$enddefinitions"));
  expect_refused(kRing, "ranks: 4\noperations: []\n", "fidelity: leap skips flits",
                 {"--vcd", "w.vcd", "--set", "fidelity=leap"});
}

}  // namespace
}  // namespace coppice::system_test
