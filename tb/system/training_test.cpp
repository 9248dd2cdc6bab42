#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTrained =
    "system:\n"
    "  topology: {kind: torus, dims: [2, 2]}\n"
    "collective: {algorithm: multitree}\n"
    "training:\n"
    "  model: tiny.csv\n";

constexpr const char* kTiny =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
    "conv, 8, 8, 3, 3, 16, 32, 1,\n"
    "fc, 1, 1, 1, 1, 1152, 100, 1,\n";

class Training : public ::testing::Test {
 protected:
  Training() {
    shop.write("c.yaml", kTrained);
    shop.write("tiny.csv", kTiny);
  }

  nlohmann::ordered_json result_of(const std::vector<std::string>& overrides) const {
    std::vector<std::string> arguments{"run", "c.yaml", "--out", "r.json"};
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? shop.read_json("r.json") : nlohmann::ordered_json();
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) const {
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "tiny.csv"));
  }

  Workshop shop;
};

TEST_F(Training, DividesTheTimeOfTheIteration) {
  const Outcome outcome = shop.run({"run", "c.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("training iteration of tiny by multitree on 4 accelerators"),
                                 HasSubstr("exposed communication"), HasSubstr("verified: values")));
}

// Without overlap, exposed communication equals the time of the all-reduce alone, as `coppice run` measures
// it.
TEST_F(Training, WaitsForTheAllReduceOfAllGradients) {
  const auto trained = result_of({});
  const auto& training = trained["training"];
  EXPECT_EQ(training["gradient_bytes"], 4 * (3 * 3 * 16 * 32 + 1152 * 100));
  EXPECT_EQ(trained["verified"], "values");
  shop.write("c.yaml",
             "system: {topology: {kind: torus, dims: [2, 2]}}\n"
             "collective: {algorithm: multitree, size: " +
                 std::to_string(training["gradient_bytes"].get<long>()) + " B}\n");
  const auto alone = result_of({});
  EXPECT_EQ(training["exposed_communication_ns"], alone["time_ns"]);
  EXPECT_EQ(training["total_ns"].get<double>(),
            training["compute_ns"].get<double>() + alone["time_ns"].get<double>());
}

// If the first layer has gradients in every chunk, it waits for the last chunk, so nothing overlaps. If its
// gradients are in the first chunk, it waits for this chunk only; if it then computes for longer than the
// other chunks take, no later layer has to wait.
TEST_F(Training, ChainsTheForwardPassToItsChunks) {
  const std::string header =
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";
  shop.write("tiny.csv", header + "wide, 64, 64, 1, 1, 256, 32, 1,\nfc, 64, 64, 1, 1, 32, 32, 1,\n");
  shop.write("turned.csv", header + "fc, 64, 64, 1, 1, 32, 32, 1,\nwide, 64, 64, 1, 1, 32, 256, 1,\n");
  shop.write("alone.yaml",
             "system: {topology: {kind: torus, dims: [2, 2]}}\n"
             "collective: {algorithm: tree, chunks: 4, size: 36864 B}\n");
  for (const char* fidelity : {"fidelity=train", "fidelity=flit"}) {
    const auto training_of = [&](std::vector<std::string> keys) {
      keys.insert(keys.end(), {fidelity, "collective.algorithm=tree", "collective.chunks=4",
                               "training.batch_per_accelerator=64", "system.accelerator.forwarding_cost=0"});
      return result_of(keys)["training"];
    };
    ASSERT_EQ(shop.run({"run", "alone.yaml", "--set", fidelity, "--out", "a.json"}).status, 0);
    const auto alone = shop.read_json("a.json");
    ASSERT_EQ(alone["gradients"]["chunks"], 4);
    const auto chained = training_of({"training.overlap=chained"});
    EXPECT_EQ(chained["gradient_bytes"], 36864);
    EXPECT_EQ(chained["communication_ns"], alone["time_ns"]);
    EXPECT_EQ(chained["total_ns"], training_of({})["total_ns"]);
    const auto turned = training_of({"training.overlap=chained", "training.model=turned.csv"});
    const double exposed = turned["exposed_communication_ns"];
    EXPECT_EQ(exposed, alone["gradients"]["turnaround_ns"].get<double>());
    EXPECT_EQ(turned["total_ns"].get<double>(), turned["compute_ns"].get<double>() + exposed);
  }
}

TEST_F(Training, OverlapsLayerByLayer) {
  const auto whole = result_of({});
  const auto trained = result_of({"training.overlap=layer_wise"});
  const auto& training = trained["training"];
  ASSERT_EQ(training["all_reduces"].size(), 2U);
  EXPECT_EQ(training["compute_ns"], whole["training"]["compute_ns"]);
  EXPECT_GT(training["overlapped_ns"].get<double>(), 0);
  const double parts =
      training["exposed_communication_ns"].get<double>() + training["overlapped_ns"].get<double>();
  EXPECT_DOUBLE_EQ(parts, training["communication_ns"].get<double>());
  EXPECT_LE(training["total_ns"].get<double>(), whole["training"]["total_ns"].get<double>());
  EXPECT_EQ(trained["simulator"]["simulations"], 1);
  EXPECT_EQ(trained["verified"], "values");
}

// Accelerator and network interface share a memory with limited bandwidth, so passes wait. They must wait
// equally long with flits and with trains.
TEST_F(Training, ComputesPassesWhileTheNetworkInterfaceRuns) {
  const std::vector<std::string> keys{"training.overlap=layer_wise",
                                      "system.accelerator.memory_bandwidth=64 GB/s"};
  const auto trains = result_of({keys[0], keys[1], "fidelity=train"});
  const auto flits = result_of({keys[0], keys[1], "fidelity=flit"});
  EXPECT_EQ(trains["passes"], flits["passes"]);
  EXPECT_GT(trains["passes"]["tiles"].get<int>(), 0);
  EXPECT_GT(trains["passes"]["delayed_ns"].get<double>(), 0);
  EXPECT_EQ(trains["time_ns"], flits["time_ns"]);
  EXPECT_FALSE(result_of({"training.overlap=layer_wise"}).contains("passes"));
}

TEST_F(Training, RepeatsItselfFromTheConfigurationInItsResult) {
  auto first = result_of({"training.overlap=layer_wise", "training.batch_per_accelerator=8"});
  shop.write("c.yaml", first.dump());
  auto second = result_of({});
  first.erase("simulator");
  second.erase("simulator");
  EXPECT_EQ(first.dump(), second.dump());
}

TEST_F(Training, KnowsTheShippedModels) {
  const auto result = result_of({"training.model=ncf", "check=contributions"});
  EXPECT_EQ(result["training"]["parameters"], 6'612'184);
  EXPECT_EQ(result["verified"], "contributions");
  EXPECT_THAT(shop.run({"list"}).out, HasSubstr("transformer"));
}

TEST_F(Training, RefusesBadTablesAndNames) {
  expect_refused({"run", "c.yaml", "--set", "training.model=resnet"}, "did you mean 'resnet50'?");
  shop.write("tiny.csv", "conv, 8, 8, 9, 3, 16, 32, 1,\n");
  expect_refused({"run", "c.yaml"}, "tiny.csv:1:13: Filter Height of 9 is larger than the padded input of 8");
  expect_refused({"run", "c.yaml", "--set", "training.batch_per_accelerator=0"},
                 "training.batch_per_accelerator must");
  expect_refused({"run", "c.yaml", "--set", "training.overlap=all"}, "training.overlap must");
}

// A bucket of one byte holds the gradients of one layer. A bucket for all gradients is equivalent to `none`.
TEST_F(Training, ReducesGradientsInBuckets) {
  const auto layers = result_of({"training.overlap=layer_wise"});
  const auto small = result_of({"training.overlap=bucketed", "training.bucket=1 B"});
  const auto all = result_of({"training.overlap=bucketed", "training.bucket=1 GB"});
  const auto whole = result_of({});
  EXPECT_EQ(small["cycles"], layers["cycles"]);
  EXPECT_EQ(all["cycles"], whole["cycles"]);
  EXPECT_EQ(all["training"]["all_reduces"].size(), 1U);
  EXPECT_EQ(all["config"]["training"]["bucket"], "1 GB");
}

TEST_F(Training, TracesEverythingThatOverlaps) {
  ASSERT_EQ(shop.run({"run", "c.yaml", "--trace", "t", "--set", "training.overlap=layer_wise"}).status, 0);
  std::set<std::string> names;
  for (const auto& [name, track] : shop.read_trace("t")) {
    for (const auto& slice : track.slices) names.insert(slice.name);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"conv weight gradient", "conv gradients"}));
}

// If one of its all-reduces fails, the whole command fails.
TEST_F(Training, FailsIfItsAllReducesFail) {
  const Outcome outcome = shop.run(
      {"run", "c.yaml", "--out", "r.json", "--set", "training.overlap=layer_wise", "--set", "max_cycles=10"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cycle limit"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "tiny.csv"));
}

constexpr const char* kHierarchy =
    "system:\n"
    "  topology: {kind: hierarchy, dimensions: [{kind: switch, size: 8, bandwidth: 25 GB/s, latency: 1 "
    "us}]}\n"
    "  flit: 128 B\n"
    "collective: {algorithm: hierarchical, chunks: 4}\n"
    "training: {model: text.txt}\n";

class TextWorkloads : public ::testing::Test {
 protected:
  TextWorkloads() {
    shop.write("c.yaml", kHierarchy);
    shop.write("text.txt", "MODEL\n1\na -1 100 ALLGATHER 65536 100 NONE 0 100 NONE 0 0\n");
  }

  Outcome run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"run", "c.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return shop.run(arguments);
  }

  Workshop shop;
};

TEST_F(TextWorkloads, RunOnTheMachine) {
  const std::pair<const char*, int> networks[] = {{"kind: torus, dims: [4, 2]", 8},
                                                  {"kind: fat_tree, dims: [4, 2]", 16},
                                                  {"kind: fat_tree, dims: [4, 2, 0]", 8},
                                                  {"kind: ring, dims: [8]", 8}};
  for (const auto& [topology, accelerators] : networks) {
    const Outcome outcome =
        run({"--set", fmt::format("system.topology={{{}}}", topology), "--set",
             "collective={algorithm: ring, chunks: auto}", "--trace", "t", "--out", "r.json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto result = shop.read_json("r.json");
    EXPECT_EQ(result["verified"], "values");
    EXPECT_EQ(result["iterations"][0]["compute_ns"], 300);
    EXPECT_EQ(result["collectives"][0]["op"], "all_gather");
    EXPECT_EQ(result["accelerators"].size(), accelerators) << topology;
    EXPECT_FALSE(shop.read_trace("t").empty());
  }
}

TEST_F(TextWorkloads, RejectWhatTheFormatCannotExpress) {
  const Outcome waves = run({"--fst", "t.out"});
  EXPECT_EQ(waves.status, 2);
  EXPECT_THAT(waves.err, HasSubstr("--fst: the waveform shows a Verilog network interface"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "text.txt"));
  for (const std::string overlap : {"chained", "bucketed"}) {
    const Outcome outcome = run({"--set", "training.overlap=" + overlap});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("training.overlap: " + overlap + " is not available"));
  }
}

TEST_F(TextWorkloads, ReportUnusedKeys) {
  EXPECT_THAT(run({"--set", "training.batch_per_accelerator=4"}).err,
              HasSubstr("training.batch_per_accelerator has no effect: a text workload specifies"));
  const Outcome predicted = shop.run({"chunks", "c.yaml", "--workload", "text.txt"});
  EXPECT_THAT(predicted.err, HasSubstr("system.flit has no effect on the prediction of a text workload"));
}

// In ASTRA-sim, the 65,536 bytes of an all-gather are those of one of the 8 accelerators; with the other
// setting, they are the total.
TEST_F(TextWorkloads, InterpretTheBytesOfAnAllGatherAsThoseOfOneRank) {
  const std::vector<std::string> total{"--set", "training.all_gather_bytes=total", "--out", "total.json"};
  ASSERT_EQ(run({"--out", "input.json"}).status, 0);
  ASSERT_EQ(run(total).status, 0);
  EXPECT_EQ(shop.read_json("input.json")["collectives"][0]["bytes"], 8 * 65536);
  EXPECT_EQ(shop.read_json("total.json")["collectives"][0]["bytes"], 65536);
  ASSERT_EQ(shop.run({"chunks", "c.yaml", "--workload", "text.txt", "--out", "input.json"}).status, 0);
  std::vector<std::string> predict{"chunks", "c.yaml", "--workload", "text.txt"};
  predict.insert(predict.end(), total.begin(), total.end());
  ASSERT_EQ(shop.run(predict).status, 0);
  const auto one = shop.read_json("input.json");
  const auto all = shop.read_json("total.json");
  EXPECT_EQ(one["training"]["collectives"][0]["bytes"], 8 * 65536);
  EXPECT_EQ(all["training"]["collectives"][0]["bytes"], 65536);
  EXPECT_EQ(one["config"]["training"]["all_gather_bytes"], "input");
  // Beyond the latency, a collective takes three steps of 1 us, whatever its size.
  const auto beyond_latency = [](const auto& result) {
    return result["training"]["collectives"][0]["time_ns"].template get<double>() - 3000;
  };
  EXPECT_GT(beyond_latency(one), 6 * beyond_latency(all));
}

}  // namespace
}  // namespace coppice::system_test
