#include <cmath>
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

// A program whose iterations consist of 5 us of computation and an all-reduce of 32 KiB.
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

TEST_F(Jobs, OnSeparateRowsTakeTheTimeOfOne) {
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
         "program.jobs[2]: row.yaml has 4 ranks, but 0 accelerators are available to them");
  expect("  jobs: [{file: row.yaml}, {file: row.yaml, accelerators: [3, 4, 5, 6]}]\n",
         "accelerator 3 already has a rank");
  expect("  jobs: [{file: row.yaml, accelerators: [5, 6, 7, 8]}]\n", "accelerator 8 does not exist");
  expect("  jobs: [{arrival: 1 us}]\n", "program.jobs[0].file is missing");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{link: [0, 6], at: 1 us}]\n",
         "nodes 0 and 6 have no link");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 8, at: 1 us}]\n",
         "accelerator 8 does not exist");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{at: 1 us}]\n", "needs either a link or an accelerator");
  expect("  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 1}]\n", "program.failures[0].at is missing");
  expect("  jobs: [{file: row.yaml}]\n  file: row.yaml\n",
         "program.jobs and program.file both set the workload");
}

// After a failure, the job repeats the unfinished iteration, so it loses the time of this iteration and the
// restart time.
TEST_F(Jobs, ContinueFromTheLastIterationAfterAFailure) {
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
  // The last two iterations run without the failed link, so neither is faster than before the failure.
  EXPECT_GE(after[3], at + 3000 + usual[1] - 1);
  EXPECT_EQ(failed["failures"][0]["effect"], "the run stopped");
  EXPECT_EQ(failed["stretches"].size(), 2);
  EXPECT_EQ(failed["time_ns"].get<double>(), after[3]);
  // A failure after the end of the run has no effect.
  const Json late = result(torus, "  jobs: [{file: all.yaml}]\n  failures: [{link: [0, 1], at: 1 s}]\n");
  EXPECT_EQ(ends(late), usual);
  EXPECT_EQ(late["failures"][0]["effect"], "no effect, since the run had already ended");
}

TEST_F(Jobs, MoveToIdleAcceleratorsOrReportUnfinishedWork) {
  shop.write("row.yaml", iterating(4, 3));
  const std::string torus = "kind: torus, dims: [4, 2]";
  const Json moved = result(torus, "  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 1, at: 20 us}]\n");
  EXPECT_THAT(moved["failures"][0]["effect"].get<std::string>(), HasSubstr("continued on accelerator 4"));
  EXPECT_EQ(moved["jobs"][0]["iterations"].size(), 3);
  const Json idle = result(torus, "  jobs: [{file: row.yaml}]\n  failures: [{accelerator: 6, at: 20 us}]\n");
  EXPECT_EQ(idle["failures"][0]["effect"], "no effect, since no rank ran on it");
  const Json full = result(torus,
                           "  jobs: [{file: row.yaml}, {file: row.yaml}]\n"
                           "  failures: [{accelerator: 1, at: 20 us}]\n");
  EXPECT_THAT(full["jobs"][0]["unfinished"].get<std::string>(), HasSubstr("no other accelerator is idle"));
  EXPECT_LT(full["jobs"][0]["iterations"].size(), 3);
  EXPECT_EQ(full["jobs"][1]["iterations"].size(), 3);
  EXPECT_EQ(full["stretches"].back()["end_ns"], full["time_ns"]);
}

// If a job cannot continue after a failure, its unfinished work counts as lost, and a warning names the job.
TEST_F(Jobs, CountTheTimeBeforeAFailure) {
  shop.write("row.yaml", iterating(4, 1));
  const Outcome outcome = execute("kind: mesh, dims: [4]",
                                  "  jobs: [{file: row.yaml}]\n  failures: [{link: [0, 1], at: 7 us}]\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json cut = shop.read_json("j.json");
  EXPECT_EQ(cut["cycles"], 7000);
  EXPECT_EQ(cut["time_ns"].get<double>(), 7000);
  EXPECT_EQ(cut["lost"]["time_ns"].get<double>(), 7000);
  EXPECT_EQ(cut["lost"]["compute_ns"].get<double>(), 5000);
  EXPECT_EQ(cut["lost"]["exposed_ns"].get<double>(), 2000);
  EXPECT_EQ(cut["down_ns"].get<double>(), 0);
  ASSERT_EQ(cut["accelerators"].size(), 4U);
  for (const Json& accelerator : cut["accelerators"]) {
    EXPECT_EQ(accelerator["compute_ns"].get<double>(), 5000);
    EXPECT_EQ(accelerator["lost_ns"].get<double>(), 7000);
    EXPECT_EQ(accelerator["operations"][0]["end_ns"].get<double>(), 5000);
    EXPECT_EQ(accelerator["operations"][1]["end_ns"].get<double>(), 7000);
  }
  ASSERT_EQ(cut["warnings"].size(), 1U);
  EXPECT_THAT(cut["warnings"][0].get<std::string>(), HasSubstr("warning: job 0 finished only 0 of 1"));
  EXPECT_THAT(outcome.out, HasSubstr("lost to failures: 7 us, including 5 us of computation"));
}

// With flits and with trains, a flit in flight at the time of a failure counts for the hops that it has
// completed.
TEST_F(Jobs, CountFlitsUpToAFailure) {
  shop.write("row.yaml", iterating(4, 1));
  for (const char* bandwidth : {"16 GB/s", "12.5 GB/s"}) {
    std::vector<Json> results;
    for (const char* fidelity : {"flit", "train"}) {
      results.push_back(result(fmt::format("kind: ring, dims: [4]}}\n  link: {{bandwidth: {}", bandwidth),
                               "  jobs: [{file: row.yaml}]\n  failures: [{link: [0, 1], at: 7 us}]\n"
                               "fidelity: " +
                                   std::string(fidelity) + "\n")["stretches"][0]);
    }
    EXPECT_EQ(results[1]["fidelity"], "train");
    EXPECT_GT(results[0]["flits"], 0);
    for (const char* count : {"flits", "flit_hops"}) EXPECT_EQ(results[0][count], results[1][count]);
  }
}

// The times of iterations, lost work and restarts add up to the run's time. The parts of each accelerator's
// time add up to its total.
TEST_F(Jobs, AccountForAllTimeAroundFailures) {
  shop.write("all.yaml", iterating(8, 4));
  const Json run = result("kind: torus, dims: [4, 2]",
                          "  jobs: [{file: all.yaml}]\n  restart: 3 us\n"
                          "  failures: [{link: [0, 1], at: 12 us}, {link: [2, 3], at: 31 us}]\n");
  double sum = run["lost"]["time_ns"].get<double>() + run["down_ns"].get<double>();
  for (const Json& iteration : run["iterations"]) sum += iteration["time_ns"].get<double>();
  EXPECT_NEAR(sum, run["time_ns"].get<double>(), 1e-6);
  EXPECT_EQ(run["down_ns"].get<double>(), 6000);
  for (const Json& accelerator : run["accelerators"]) {
    double parts = 0;
    for (const char* part : {"compute_ns", "memory_ns", "exposed_ns", "bubble_ns", "idle_ns"}) {
      parts += accelerator[part].get<double>();
    }
    EXPECT_NEAR(parts, accelerator["time_ns"].get<double>(), 1e-6);
    EXPECT_NEAR(accelerator["time_ns"].get<double>() + 6000, run["time_ns"].get<double>(), 1e-6);
    EXPECT_GE(accelerator["compute_ns"].get<double>(), 4 * 5000);
    for (const Json& operation : accelerator["operations"]) {
      EXPECT_LE(operation["begin_ns"].get<double>(), operation["end_ns"].get<double>());
    }
  }
  EXPECT_EQ(run["warnings"], Json::array());
}

// A failure of an accelerator whose job has finished does not affect the other jobs.
TEST_F(Jobs, ContinueIfNobodyNeedsTheFailedPart) {
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
  EXPECT_EQ(failed["failures"][0]["effect"], "no effect, since no rank ran on it");
  EXPECT_EQ(failed["jobs"][1]["iterations"], ends);
  EXPECT_EQ(failed["time_ns"], whole["time_ns"]);
  EXPECT_EQ(failed["stretches"].size(), 1);
}

// A failure has no effect on a job whose messages have all arrived, even while the last credits are in
// flight.
TEST_F(Jobs, EndBeforeTheirLastCreditsReturn) {
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
    EXPECT_EQ(failed["failures"][0]["effect"], "no effect, since the run had already ended") << later;
  }
}

// Without one of its links, a switch does not reach all accelerators. Jobs that need the unreachable
// accelerator end, and the others continue.
TEST_F(Jobs, ContinueIfOthersAreCutOff) {
  shop.write("row.yaml", iterating(4, 3));
  const std::string jobs = "  jobs: [{file: row.yaml}, {file: row.yaml}]\n";
  const Json whole = result("kind: switch, dims: [8]", jobs);
  const Json cut = result("kind: switch, dims: [8]",
                          jobs + "  failures: [{link: [0, 8], at: 0 s}, {link: [7, 8], at: 1 s}]\n");
  EXPECT_EQ(cut["jobs"][0]["unfinished"], "the remaining links do not connect accelerators 0 and 1");
  EXPECT_EQ(cut["jobs"][0]["stopped_ns"], cut["failures"][0]["at_ns"]);
  EXPECT_EQ(cut["jobs"][1]["iterations"], whole["jobs"][1]["iterations"]);
  const std::string told =
      execute("kind: switch, dims: [8]", jobs + "  failures: [{link: [0, 8], at: 0 s}]\n").out;
  EXPECT_THAT(told, HasSubstr("  job 0: unfinished after 0 of 3 iterations: the remaining links"));
  EXPECT_THAT(told, HasSubstr("  job 1: ended at "));
  EXPECT_EQ(cut["failures"][1]["effect"], "no effect, since the run had already ended");
  // Both jobs lose an accelerator, and no other accelerator is idle.
  const Json none = result("kind: switch, dims: [8]",
                           jobs + "  failures: [{link: [0, 8], at: 20 us}, {link: [7, 8], at: 20 us}]\n");
  for (const Json& job : none["jobs"]) {
    EXPECT_THAT(job["unfinished"].get<std::string>(), HasSubstr("do not connect"));
    EXPECT_LT(job["iterations"].size(), 3);
  }
  const Outcome never = execute("kind: switch, dims: [4]",
                                "  jobs: [{file: row.yaml}]\n  failures: [{link: [0, 4], at: 0 s}]\n");
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.err, HasSubstr("program.failures: no job can run: the remaining links do not connect"));
}

}  // namespace
}  // namespace coppice::system_test
