#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kMachine =
    "system:\n"
    "  topology: {kind: torus, dims: [4, 4]}\n"
    "  accelerator: {model: roofline}\n";
constexpr const char* kModel =
    "layers: 4\nwidth: 64\nheads: 4\nfeed_forward: 128\nvocabulary: 64\nsequence: 16\n";

class LargeModels : public ::testing::Test {
 protected:
  LargeModels() { shop.write("m.yaml", kModel); }

  Outcome run(const std::string& training, const std::vector<std::string>& more = {}) const {
    shop.write("c.yaml", kMachine + ("training:\n  model: m.yaml\n" + training));
    std::vector<std::string> arguments{"run", "c.yaml", "--out", "r.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return shop.run(arguments);
  }

  void expect_refused(const std::string& training, const std::string& message) const {
    const Outcome outcome = run(training);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  Workshop shop;
};

TEST_F(LargeModels, RunOverTensorPipelineAndData) {
  const Outcome outcome = run("  parallel: {tensor: 4, pipeline: 2, data: 2}\n  micro_batches: 2\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json result = shop.read_json("r.json");
  EXPECT_NE(result["verified"], "off");
  EXPECT_EQ(result["iterations"].size(), 1U);
  // Every rank has 2 layers and 2 micro-batches, with 4 all-reduces per layer. The first and last stages have
  // additional operations.
  int reductions = 0;
  for (const Json& collective : result["collectives"]) reductions += collective["op"] == "all_reduce" ? 1 : 0;
  EXPECT_GT(reductions, 4 * 2 * 2 * 4);
}

TEST_F(LargeModels, RunWithEverySchedule) {
  for (const std::string schedule : {"gpipe", "1f1b", "interleaved"}) {
    const Outcome outcome =
        run("  parallel: {pipeline: 2, data: 2, context: 2}\n  micro_batches: 4\n  zero: 3\n  schedule: " +
            schedule + "\n");
    EXPECT_EQ(outcome.status, 0) << schedule << outcome.err;
  }
}

TEST_F(LargeModels, ReportLayoutsThatAreImpossible) {
  expect_refused("  parallel: {tensor: 3}\n",
                 "c.yaml:6:22: training.parallel.tensor: 4 heads cannot be divided by 3");
  expect_refused("  parallel: {tensor: 4, data: 8}\n", "on 32 accelerators, but the system has 16");
  expect_refused("  parallel: {pipeline: 8}\n", "4 layers cannot form 8 stages");
}

TEST_F(LargeModels, MustFitIntoMemory) {
  const std::string training = "  parallel: {tensor: 2, data: 2}\n";
  const Outcome outcome = run(training, {"--set", "system.accelerator.memory=\"100 kB\""});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("system.accelerator.memory of 100 kB is too small"));
  EXPECT_EQ(run(training, {"--set", "system.accelerator.memory=\"100 MB\""}).status, 0);
}

TEST_F(LargeModels, AreSuggestedIfTheModelDoesNotExist) {
  shop.write("c.yaml", std::string(kMachine) + "training: {model: llama2_70, parallel: {data: 2}}\n");
  const Outcome outcome = shop.run({"run", "c.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'llama2_70b'?"));
}

// A program and the traces written from it must give the same result.
TEST_F(LargeModels, RunLikeTheirTraces) {
  ASSERT_EQ(run("  parallel: {tensor: 2, pipeline: 2, data: 2, context: 2}\n  micro_batches: 2\n  zero: 1\n")
                .status,
            0);
  const Json own = shop.read_json("r.json");
  const Outcome converted = shop.run({"convert", "c.yaml", "--out", "t"});
  ASSERT_EQ(converted.status, 0) << converted.err;
  shop.write("c.yaml", std::string(kMachine) + "program: {trace: \"t.{rank}.et\"}\n");
  const Outcome again = shop.run({"run", "c.yaml", "--out", "s.json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(shop.read_json("s.json")["cycles"], own["cycles"]);
}

// A trace that consists of one collective takes as long as this collective alone.
TEST_F(LargeModels, CostTheSameAsATraceOfOneCollective) {
  shop.write("a.yaml",
             std::string(kMachine) + "collective: {op: all_reduce, algorithm: ring, size: 64 KiB}\n");
  ASSERT_EQ(shop.run({"run", "a.yaml", "--out", "a.json"}).status, 0);
  shop.write("g.yaml", "name: one\nranks: 16\noperations:\n  - {name: sum, all_reduce: 64 KiB}\n");
  shop.write("p.yaml", std::string(kMachine) + "collective: {algorithm: ring}\nprogram: {file: g.yaml}\n");
  ASSERT_EQ(shop.run({"convert", "p.yaml", "--out", "t"}).status, 0);
  shop.write("t.yaml",
             std::string(kMachine) + "collective: {algorithm: ring}\nprogram: {trace: \"t.{rank}.et\"}\n");
  const Outcome outcome = shop.run({"run", "t.yaml", "--out", "t.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(shop.read_json("t.json")["cycles"], shop.read_json("a.json")["cycles"]);
}

TEST_F(LargeModels, InvalidTracesAreRejected) {
  shop.write("t.0.et", "{\"schema\": \"1\", \"nodes\": []}");
  shop.write("c.yaml", std::string(kMachine) + "program: {trace: \"t.{rank}.et\"}\n");
  const Outcome outcome = shop.run({"run", "c.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("t.0.et:1:1: rank 0: this is a PyTorch host trace"));
}

TEST_F(LargeModels, NeedAProgramToConvert) {
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"convert", "c.yaml", "--out", "t"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the configuration has no program to convert"));
}

}  // namespace
}  // namespace coppice::system_test
