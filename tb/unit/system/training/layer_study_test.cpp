#include "system/training/layer_study.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "machine.h"
#include "workload/layer.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

class LayerStudy : public ::testing::Test {
 protected:
  LayerStudy() {
    std::ofstream(folder_.file("m.csv")) << "conv, 8, 9, 3, 3, 16, 40, 2,\nfc, 1, 1, 1, 1, 640, 100, 1,\n";
    std::ofstream(folder_.file("c.yaml")) << "training: {model: " << folder_.file("m.csv")
                                          << ", batch_per_accelerator: 2}\nsystem: {accelerator: {pes: 2}}\n";
  }
  Json study(const std::vector<std::string>& overrides = {}) const {
    return study_layers(config::load(folder_.file("c.yaml"), overrides, config::Purpose::kLayers));
  }
  void refuses(const std::vector<std::string>& overrides, const std::string& what) const {
    EXPECT_THAT([&] { study(overrides); }, ThrowsMessage<ConfigError>(HasSubstr(what)));
  }

  TemporaryDirectory folder_;
};

// Each layer has three passes and an update. The number of multiply-accumulates must be that of the passes'
// products.
TEST_F(LayerStudy, ListsEveryPassOfEveryLayer) {
  const Json result = study();
  std::vector<std::string> passes;
  for (const Json& layer : result["layers"]) {
    passes.push_back(layer["name"].get<std::string>() + " " + layer["pass"].get<std::string>());
    const auto macs = layer["m"].get<std::int64_t>() * layer["n"].get<std::int64_t>() *
                      layer["k"].get<std::int64_t>() * layer["count"].get<std::int64_t>();
    EXPECT_EQ(layer["macs"].get<std::int64_t>(), macs);
    EXPECT_EQ(layer.contains("split"), layer["pass"] != "update") << passes.back();
    EXPECT_GT(layer["cycles"].get<std::int64_t>(), 0) << passes.back();
    const Json& traffic = layer["traffic"];
    EXPECT_EQ(layer["bytes"].get<std::int64_t>(), traffic["input"].get<std::int64_t>() +
                                                      traffic["weight"].get<std::int64_t>() +
                                                      traffic["output"].get<std::int64_t>());
  }
  EXPECT_THAT(passes,
              ElementsAre("conv forward", "conv input_gradient", "conv weight_gradient", "conv update",
                          "fc forward", "fc input_gradient", "fc weight_gradient", "fc update"));
  // For two samples, 40 filters have 3 x 4 outputs each, and each output depends on 3 x 3 x 16 inputs.
  EXPECT_EQ(result["layers"][0]["macs"], 2 * 3 * 4 * 40 * 3 * 3 * 16);
}

TEST_F(LayerStudy, AddsUpItsLayers) {
  for (const auto& overrides : std::vector<std::vector<std::string>>{
           {}, {"system.accelerator.memory_bandwidth=1 GB/s"}, {"system.accelerator.pes=7"}}) {
    const Json result = study(overrides);
    std::int64_t cycles = 0;
    std::int64_t stalls = 0;
    bool memory_bound = false;
    for (const Json& layer : result["layers"]) {
      cycles += layer["cycles"].get<std::int64_t>();
      stalls += layer["stall_cycles"].get<std::int64_t>();
      memory_bound = memory_bound || layer["bound_by"] == "memory";
    }
    EXPECT_EQ(result["cycles"], cycles);
    EXPECT_EQ(result["stall_cycles"], stalls);
    EXPECT_EQ(memory_bound, stalls > 0);
    const Json& footprint = result["footprint"];
    Bytes sum = 0;
    for (const auto& [key, bytes] : footprint.items()) sum += key == "bytes" ? 0 : bytes.get<Bytes>();
    EXPECT_EQ(footprint["bytes"], sum);
  }
}

TEST_F(LayerStudy, UsesItsClock) {
  const Json usual = study({"system.accelerator.clock=1 GHz"});
  const Json slow = study({"system.accelerator.clock=500 MHz"});
  EXPECT_EQ(usual["cycles"], slow["cycles"]);
  EXPECT_DOUBLE_EQ(slow["time_ns"].get<double>(), 2 * usual["time_ns"].get<double>());
  EXPECT_DOUBLE_EQ(
      usual["time_ns"].get<double>(),
      static_cast<double>(usual["cycles"].get<std::int64_t>() + usual["stall_cycles"].get<std::int64_t>()));
}

TEST_F(LayerStudy, RequiresArraysAndLayers) {
  refuses({"system.accelerator.model=roofline"}, "system.accelerator.model is roofline, which has no arrays");
  refuses({"training.model=w.txt"}, "a text workload has durations but no layers");
  refuses({"system.accelerator.memory=1 KiB"}, "system.accelerator.memory of 1 KiB is too small for m");
}

// The table has one line per pass, and each line has as many cells as the header.
TEST_F(LayerStudy, WritesATableOfCommaSeparatedValues) {
  const Json result = study();
  std::istringstream lines(layers_csv(result));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "name,pass,m,n,k,count,cycles,stall_cycles,utilization,bytes,bound_by,split");
  for (const Json& layer : result["layers"]) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(std::ranges::count(line, ','), 11) << line;
    EXPECT_TRUE(line.starts_with(layer["name"].get<std::string>() + "," + layer["pass"].get<std::string>()));
    EXPECT_THAT(line, HasSubstr("," + layer["cycles"].dump() + ","));
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(LayerStudy, HasASummary) {
  const Json result = study();
  const std::string text = summarize_layers(result);
  EXPECT_THAT(text, AllOf(HasSubstr("m on 2 PEs, 2 samples"), HasSubstr("weight_gradient"),
                          HasSubstr(result["cycles"].dump() + " cycles, ")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2 + 8 + 1);
}

}  // namespace
}  // namespace coppice::system
