// Compares simulated trees on a DGX-1 with C-Cube's cost model.
#include <gmock/gmock.h>

#include "machine.h"
#include "schedule/compile/cost_model.h"

namespace coppice::system {
namespace {

using schedule::CostModel;

// The parameters of dgx1.yaml: each step has a setup of 14 us and a link latency of 700 ns, and each link has
// 25 GB/s.
constexpr CostModel kDgx1{.alpha_ns = 14'700, .beta_ns_per_byte = 0.04, .accelerators = 8};
constexpr double kMiB = 1048576;

double time_ns(const nlohmann::ordered_json& result) {
  return result["time_ns"];
}

nlohmann::ordered_json run_trees(const std::string& algorithm, const std::string& size,
                                 const std::string& chunks, const std::string& trees = "embedded") {
  return run("dgx1", {"collective.algorithm=" + algorithm, "collective.size=" + size,
                      "collective.chunks=" + chunks, "collective.trees=" + trees});
}

void expect_within(double measured, double expected, double part) {
  EXPECT_NEAR(measured / expected, 1.0, part) << measured << " against " << expected;
}

// The tree has three levels of edges, and chunks move through these levels in a pipeline.
TEST(TreeModel, CountsTheStepsOfOneTree) {
  for (const int chunks : {1, 4, 16}) {
    const std::string k = std::to_string(chunks);
    expect_within(time_ns(run_trees("tree", "16 MiB", k)), pipelined_tree_ns(kDgx1, 3, chunks, 16 * kMiB),
                  0.03);
    expect_within(time_ns(run_trees("overlapped_tree", "16 MiB", k)),
                  pipelined_overlapped_tree_ns(kDgx1, 3, chunks, 16 * kMiB), 0.03);
  }
}

// Two trees carry half of the data each, and their times agree with equations (5) and (7).
TEST(TreeModel, AgreesWithThePapersEquations) {
  expect_within(time_ns(run_trees("double_tree", "512 MiB", "auto")), kDgx1.tree_ns(256 * kMiB), 0.03);
  expect_within(time_ns(run_trees("overlapped_double_tree", "512 MiB", "auto")),
                kDgx1.overlapped_tree_ns(256 * kMiB), 0.03);
}

// Six rings carry a sixth of the data each, and their times agree with equations (1) and (2).
TEST(TreeModel, AgreesWithTheEquationsOfTheRing) {
  for (const auto& [op, expected] : {std::pair{"all_gather", kDgx1.all_gather_ns(64 * kMiB / 6)},
                                     {"all_reduce", kDgx1.ring_ns(64 * kMiB / 6)}}) {
    const auto ring = run("dgx1", {"collective.algorithm=ring", "collective.chunks=1",
                                   "collective.size=64 MiB", std::string("collective.op=") + op});
    expect_within(time_ns(ring), expected, 0.03);
  }
}

// The result contains the model's prediction: eq. (3) twice, and eq. (6) with the run's number of chunks.
TEST(TreeModel, IsInTheResult) {
  const auto c1 = run_trees("overlapped_double_tree", "16 MiB", "8");
  EXPECT_NEAR(c1["cost_model"]["time_ns"], kDgx1.overlapped_tree_ns(8 * kMiB, 8), 0.001 * 1e6);
  const auto b = run_trees("double_tree", "16 MiB", "8");
  EXPECT_NEAR(b["cost_model"]["time_ns"], 2 * kDgx1.tree_phase_ns(8 * kMiB, 8), 0.001 * 1e6);
}

TEST(TreeModel, PredictsTheGradientTurnaround) {
  const auto apart = run_trees("tree", "16 MiB", "16");
  const auto overlapped = run_trees("overlapped_tree", "16 MiB", "16");
  expect_within(apart["gradients"]["turnaround_ns"], turnaround_ns(kDgx1, 3, 16, 16 * kMiB), 0.03);
  expect_within(overlapped["gradients"]["turnaround_ns"], overlapped_turnaround_ns(kDgx1, 3, 16, 16 * kMiB),
                0.03);
  for (const auto& result : {apart, overlapped}) {
    EXPECT_EQ(result["gradients"]["in_order"], true);
    EXPECT_EQ(result["contention_free"], true);
    EXPECT_EQ(result["verified"], "values");
    EXPECT_FALSE(result.contains("forwarding"));
  }
}

// Fig. 12(a): overlapping gains 75% at 64 MB and at most 80% for larger sizes. The tolerance is five
// percentage points.
TEST(TreeModel, OverlapGainsAsMuchAsThePaperMeasured) {
  const auto large_b = run_trees("double_tree", "256 MiB", "auto", "ccube");
  const auto large_c1 = run_trees("overlapped_double_tree", "256 MiB", "auto", "ccube");
  EXPECT_NEAR(time_ns(large_b) / time_ns(large_c1), 1.80, 0.05);
  const auto b = run_trees("double_tree", "64 MiB", "auto", "ccube");
  const auto c1 = run_trees("overlapped_double_tree", "64 MiB", "auto", "ccube");
  EXPECT_NEAR(time_ns(b) / time_ns(c1), 1.75, 0.05);
  EXPECT_EQ(c1["forwarding"], (nlohmann::ordered_json{0, 1}));
}

// Flits and trains take the same number of cycles, because both include the message setup.
TEST(TreeModel, FlitsAgreeWithTrains) {
  const std::vector<std::string> settings{"collective.size=64 KiB", "collective.chunks=4",
                                          "system.ni.message_setup=200 ns"};
  for (const char* algorithm : {"double_tree", "overlapped_double_tree"}) {
    std::vector<std::string> overrides = settings;
    overrides.push_back(std::string("collective.algorithm=") + algorithm);
    overrides.emplace_back("fidelity=train");
    const auto trains = run("dgx1", overrides);
    overrides.back() = "fidelity=flit";
    EXPECT_EQ(run("dgx1", overrides)["cycles"], trains["cycles"]) << algorithm;
  }
}

}  // namespace
}  // namespace coppice::system
