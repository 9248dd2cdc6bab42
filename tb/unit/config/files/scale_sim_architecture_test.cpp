#include "config/files/scale_sim_architecture.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kArchitecture =
    "[general]\n"
    "run_name = small_ws\n"
    "\n"
    "[architecture_presets]\n"
    "ArrayHeight:    12\n"
    "ArrayWidth:     14\n"
    "IfmapSramSzkB:    36\n"
    "FilterSramSzkB:   8\n"
    "OfmapSramSzkB:    2\n"
    "IfmapOffset:    0\n"
    "Dataflow : ws\n"
    "Bandwidth : 10,10,10\n"
    "MemoryBanks: 1\n"
    "\n"
    "[layout]\n"
    "IfmapCustomLayout: False\n"
    "\n"
    "[run_presets]\n"
    "InterfaceBandwidth: USER\n";

Loaded loaded(const std::string& accelerator, const std::vector<std::string>& overrides = {}) {
  const ScratchFile file("system:\n  topology: {kind: ring, dims: [4]}\n  accelerator: " + accelerator +
                         "\n");
  return load(file.path(), overrides, Purpose::kLayers);
}

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kArchitecture;
  return text.replace(text.find(what), what.size(), instead);
}

// The refusal of `text`: the position in the file and the message.
std::string complaint(const std::string& text) {
  const ScratchFile file(text, ".cfg");
  try {
    loaded("{file: " + file.path() + "}", {"training.model=alexnet"});
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    return message.substr(message.find(file.path()) + file.path().size() + 1);
  }
  return "accepted";
}

TEST(ScaleSimArchitecture, DescribesTheAccelerator) {
  const ScratchFile file(kArchitecture, ".cfg");
  for (const std::string& written : {file.path(), "{file: " + file.path() + "}"}) {
    const Config config = loaded(written, {"training.model=alexnet"}).config;
    const AcceleratorConfig& accelerator = config.system.accelerator;
    EXPECT_EQ(accelerator.pes, 1);
    EXPECT_THAT(accelerator.array, ElementsAre(12, 14));
    EXPECT_EQ(accelerator.dataflow, "weight_stationary");
    EXPECT_EQ(accelerator.buffers.input, 36 * 1024 * 4);
    EXPECT_EQ(accelerator.buffers.weight, 8 * 1024 * 4);
    EXPECT_EQ(accelerator.buffers.output, 2 * 1024 * 4);
    EXPECT_EQ(accelerator.memory_bandwidth->bytes_per_second, 3 * 10 * 4 * 1'000'000'000L);
    EXPECT_THAT(config.assumptions, Contains(HasSubstr("a SCALE-Sim word is an element of 4 bytes")));
    EXPECT_THAT(config.assumptions,
                Contains(HasSubstr("ignored keys: IfmapOffset, MemoryBanks, IfmapCustomLayout")));
  }
}

TEST(ScaleSimArchitecture, IsOverriddenByKeysOfTheConfiguration) {
  const ScratchFile file(kArchitecture, ".cfg");
  const AcceleratorConfig accelerator =
      loaded("{pes: 4, clock: 2 GHz, file: " + file.path() + ", buffers: {weight: 1 MiB}}",
             {"training.model=alexnet", "system.accelerator.dataflow=input_stationary"})
          .config.system.accelerator;
  EXPECT_EQ(accelerator.pes, 4);
  EXPECT_EQ(accelerator.dataflow, "input_stationary");
  EXPECT_EQ(accelerator.buffers.input, 36 * 1024 * 4);
  EXPECT_EQ(accelerator.buffers.weight, 1 << 20);
  EXPECT_EQ(accelerator.memory_bandwidth->bytes_per_second, 3 * 10 * 4 * 2'000'000'000L);
}

TEST(ScaleSimArchitecture, HasNoBandwidthToCalculateWith) {
  const ScratchFile file(with("USER", "CALC"), ".cfg");
  const Config config = loaded(file.path(), {"training.model=alexnet"}).config;
  EXPECT_EQ(config.system.accelerator.memory_bandwidth, std::nullopt);
  EXPECT_THAT(config.assumptions, Contains(HasSubstr("InterfaceBandwidth: USER")));
}

TEST(ScaleSimArchitecture, LocatesMistakes) {
  EXPECT_EQ(complaint(with("ArrayHeight", "ArrayHight")),
            "5:1: unknown key 'ArrayHight' in a SCALE-Sim architecture file; did you mean 'ArrayHeight'?");
  EXPECT_THAT(complaint(with("14", "none")), HasSubstr("6:17: ArrayWidth must be a whole number from 1 to"));
  EXPECT_THAT(complaint(with(" ws", " rs")), HasSubstr("11:12: Dataflow must be"));
  EXPECT_THAT(complaint(with("10,10,10", "fast")), HasSubstr("12:13: Bandwidth must be"));
  EXPECT_THAT(complaint(with("ArrayWidth:     14\n", "")), HasSubstr("needs ArrayWidth"));
  EXPECT_THAT(complaint(with("ArrayWidth:     14", "ArrayWidth")),
              HasSubstr("6:1: 'ArrayWidth' is not a line"));
  EXPECT_THAT(complaint(with("ArrayWidth:     14", "ArrayHeight: 14")),
              HasSubstr("6:1: ArrayHeight is set twice"));
  EXPECT_THROW(loaded("missing.cfg"), ConfigError);
  EXPECT_THROW(loaded("32"), ConfigError);
  EXPECT_THROW(loaded("{file: [a]}"), ConfigError);
}

}  // namespace
}  // namespace coppice::config
