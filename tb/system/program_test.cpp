#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"

namespace coppice::system_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

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

TEST_F(Programs, ApplyJitterToTheListedStragglers) {
  const std::string program =
      "ranks: 4\noperations:\n  - {name: a, compute: 10 us}\n  - {name: s, all_reduce: 4 KiB, after: a}\n";
  const auto nominal = run("kind: ring, dims: [4]", program)["cycles"].get<std::int64_t>();
  const Json slow = run("kind: ring, dims: [4]", program, {"program.jitter=[1, 1, 2, 1]"});
  EXPECT_NEAR(static_cast<double>(slow["cycles"].get<std::int64_t>() - nominal), 10'000, 200);
  EXPECT_NEAR(slow["iterations"][0]["bubble_ns"].get<double>(), 7'500, 1);
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

TEST_F(Programs, ReportOperationsThatCannotFinish) {
  shop.write("c.yaml", machine("kind: ring, dims: [4]"));
  // Two ranks join two collectives in opposite orders. With a context for each collective, this does not
  // deadlock.
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

TEST_F(Programs, RejectInvalidPrograms) {
  const std::string ring = "kind: ring, dims: [4]";
  expect_refused(ring, "operations: []\n", "p.yaml:1:1: ranks is missing");
  expect_refused(ring, "ranks: 5\noperations: []\n", "rank 4 on accelerator 4");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, compute: 1 us, after: b}\n",
                 "p.yaml:3:37: operations[0].after: no operation precedes this one");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, all_reduce: 1 KiB, group: x}\n",
                 "unknown group 'x'");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, al_reduce: 1 KiB}\n",
                 "did you mean 'all_reduce'");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, send: 1 KiB, from: 1, to: 1}\n", "to itself");
  expect_refused(ring, "ranks: 4\noperations:\n  - {name: a, compute: 1 us}\n  - {name: a, compute: 1 us}\n",
                 "another operation already has the name 'a'");
}

TEST_F(Programs, TraceOpensWithAllAccelerators) {
  shop.write("c.yaml", machine("kind: ring, dims: [4]"));
  shop.write("p.yaml",
             "ranks: 4\noperations:\n  - {name: 'a\"b', compute: 3 us}\n  - {name: s, all_reduce: 4 KiB, "
             "after: 'a\"b'}\n");
  ASSERT_EQ(shop.run({"run", "c.yaml", "--trace", "t"}).status, 0);
  int computations = 0;
  int collectives = 0;
  for (const auto& [name, track] : shop.read_trace("t")) {
    for (const auto& slice : track.slices) {
      if (slice.name == "a\"b") ++computations;
      if (slice.name == "s") ++collectives;
    }
  }
  EXPECT_EQ(computations, 4);
  EXPECT_EQ(collectives, 4);
}

}  // namespace
}  // namespace coppice::system_test
