// Tests `coppice layers` as a user runs it.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kTiny =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
    "conv, 8, 9, 3, 3, 16, 40, 2,\n"
    "fc, 1, 1, 1, 1, 640, 100, 1,\n";

class Layers : public ::testing::Test {
 protected:
  Layers() {
    shop.write("c.yaml",
               "training: {model: tiny.csv, batch_per_accelerator: 1}\nsystem: {accelerator: {pes: 1}}\n");
    shop.write("tiny.csv", kTiny);
  }

  Json study(const std::vector<std::string>& overrides) const {
    std::vector<std::string> arguments{"layers", "c.yaml", "--out", "l.json"};
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.status == 0 ? shop.read_json("l.json") : Json();
  }

  void expect_refused(const std::vector<std::string>& overrides, const std::string& message) const {
    std::vector<std::string> arguments{"layers", "c.yaml"};
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  static Json pass(const Json& study, const std::string& name, const std::string& which) {
    for (const Json& layer : study.at("layers")) {
      if (layer.at("name") == name && layer.at("pass") == which) return layer;
    }
    ADD_FAILURE() << "no " << which << " of " << name;
    return {};
  }

  Workshop shop;
};

// The table contains names in Latin-1, which is not valid UTF-8.
TEST_F(Layers, ReplacesBytesOfNamesThatAreNotUtf8) {
  shop.write("tiny.csv", "Layer, M, N, K,\nf\xe9, 4, 4, 4,\n");
  EXPECT_EQ(study({}).at("layers").at(0).at("name"), "f\xef\xbf\xbd");
}

TEST_F(Layers, ListsEveryPassWithItsProduct) {
  const Json result = study({});
  EXPECT_EQ(result.at("schema"), "coppice.layers/1");
  EXPECT_EQ(result.at("layers").size(), 8U);
  const Json forward = pass(result, "conv", "forward");
  EXPECT_EQ(forward.at("m"), 3 * 4);
  EXPECT_EQ(forward.at("k"), 144);
  EXPECT_EQ(forward.at("n"), 40);
  EXPECT_EQ(forward.at("cycles"), (2 * 12 + 32 + 144 - 2) + (2 * 12 + 8 + 144 - 2));
  EXPECT_EQ(forward.at("stall_cycles"), 0);
  EXPECT_EQ(forward.at("bound_by"), "compute");
  EXPECT_EQ(pass(result, "fc", "update").at("bytes"), 20 * 64000);
  EXPECT_EQ(pass(result, "fc", "input_gradient").at("n"), 640);
}

TEST_F(Layers, TheArrayTakesTheFormulasCycles) {
  for (const char* dataflow : {"output_stationary", "weight_stationary", "input_stationary"}) {
    const std::string key = std::string("system.accelerator.dataflow=") + dataflow;
    const Json formula = study({key, "system.accelerator.pes=3"});
    const Json array = study({key, "system.accelerator.pes=3", "system.accelerator.timing=array"});
    EXPECT_EQ(array.at("timing"), "array");
    EXPECT_EQ(array.at("layers"), formula.at("layers"));
  }
}

TEST_F(Layers, TheArrayMultipliesOperandsOfEveryType) {
  const std::vector<std::string> array{"system.accelerator.timing=array", "system.accelerator.pe_latency=2"};
  const Json formula = study({"system.accelerator.pe_latency=2"});
  EXPECT_GT(formula.at("cycles"), study({}).at("cycles"));
  for (const auto& [type, bytes] : {std::pair{"fp32", 4}, {"bf16", 2}, {"int8", 1}}) {
    const std::string operands = std::string("system.accelerator.operands=") + type;
    const Json result = study({array[0], array[1], operands});
    EXPECT_EQ(result.at("layers"), study({array[1], operands}).at("layers")) << type;
    EXPECT_EQ(result.at("cycles"), formula.at("cycles")) << type;
    for (const char* operand : {"input", "weight", "output"}) {
      const auto moved = [&](const Json& of) {
        return pass(of, "conv", "forward").at("traffic").at(operand).get<std::int64_t>();
      };
      EXPECT_EQ(moved(result) * 4, moved(formula) * bytes) << type << operand;
    }
    EXPECT_EQ(pass(result, "fc", "update").at("bytes"), (bytes == 4 ? 20 : 20 + bytes) * 64000);
  }
  expect_refused({"system.accelerator.operands=fp8"},
                 "system.accelerator.operands must be fp32, bf16 or int8");
}

// If PEs share the samples of a batch, each PE has its own weight gradient. The memory must hold the
// gradients of one pass at a time.
TEST_F(Layers, NeedsMemoryForTheLargestNumberOfPartialSums) {
  const std::vector<std::string> settings{"system.accelerator.pes=4", "training.batch_per_accelerator=4"};
  const auto of = [&](const char* split) {
    return study({settings[0], settings[1], std::string("system.accelerator.split=") + split})
        .at("footprint")
        .at("partial_sums");
  };
  EXPECT_EQ(of("batch"), 4 * 4 * 640 * 100);
  EXPECT_EQ(of("filters"), 0);
}

TEST_F(Layers, CountsAsScaleSim) {
  const auto cycles = [&](const char* dataflow) {
    return pass(study({"system.accelerator.convention=scale_sim",
                       std::string("system.accelerator.dataflow=") + dataflow}),
                "conv", "forward")
        .at("cycles")
        .get<int>();
  };
  // Tiles of 4 x 4 outputs: ceil(7 / 2) and ceil(8 / 2).
  EXPECT_EQ(cycles("output_stationary"), 2 * (32 + 32 + 144 - 2));
  EXPECT_EQ(cycles("weight_stationary"), 5 * 2 * (64 + 32 + 16 - 2));
  EXPECT_EQ(cycles("input_stationary"), 5 * (64 + 32 + 40 - 2));
}

TEST_F(Layers, ASlowMemoryStallsAndSmallBuffersMoveMore) {
  const Json once = study({"system.accelerator.memory_bandwidth=1 GB/s"});
  const Json fc = pass(once, "fc", "forward");
  EXPECT_EQ(fc.at("bytes"), 4 * (640 + 64000 + 100));
  EXPECT_EQ(fc.at("bound_by"), "memory");
  EXPECT_GE(fc.at("cycles").get<int>() + fc.at("stall_cycles").get<int>(), fc.at("bytes").get<int>());
  const Json small =
      study({"system.accelerator.memory_bandwidth=1 GB/s", "system.accelerator.buffers.input=1 KiB",
             "system.accelerator.buffers.weight=1 KiB", "system.accelerator.buffers.output=16 KiB"});
  EXPECT_GT(pass(small, "conv", "forward").at("bytes"), pass(once, "conv", "forward").at("bytes"));
}

TEST_F(Layers, ReportsWhatDoesNotFit) {
  expect_refused({"system.accelerator.memory=1 KiB"},
                 "system.accelerator.memory of 1 KiB is too small for tiny");
  expect_refused({"system.accelerator.buffers.output=16 B", "system.accelerator.array=[4, 4]"},
                 "system.accelerator: layer conv, forward: the output buffer is too small");
  expect_refused(
      {"system.accelerator.timing=array", "system.accelerator.convention=scale_sim"},
      "timing array cannot reproduce SCALE-Sim's cycle count: use convention causal, or write formula");
  expect_refused({"system.accelerator.model=roofline"}, "system.accelerator.model is roofline");
  expect_refused({"training.optimizer=lion"}, "training.optimizer must be");
}

TEST_F(Layers, WritesCommaSeparatedValues) {
  EXPECT_EQ(shop.run({"layers", "c.yaml", "--csv", "l.csv"}).status, 0);
  const std::string text = shop.read("l.csv");
  EXPECT_THAT(text, HasSubstr("name,pass,m,n,k,count,cycles,stall_cycles,utilization,bytes,bound_by,split\n"
                              "conv,forward,12,40,144,1,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
}

}  // namespace
}  // namespace coppice::system_test
