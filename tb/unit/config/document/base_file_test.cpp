#include "config/document/base_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kMachine =
    "system: {topology: {kind: ring, dims: [4]}, link: {bandwidth: 8 GB/s, latency: 10 ns}}\n"
    "collective: {algorithm: ring, size: 1 MiB}\n";

std::string stem(const ScratchFile& file) {
  return std::filesystem::path(file.path()).stem().string();
}

TEST(BaseFile, IsExtendedKeyByKey) {
  const ScratchFile machine(kMachine);
  const ScratchFile own("base: " + stem(machine) + "\nsystem: {link: {latency: 20 ns}}\n");
  const Config config = load(own.path(), {"collective.size=2 MiB"}, Purpose::kRun).config;
  EXPECT_EQ(config.system.link.bandwidth.front(), Bandwidth{8'000'000'000});
  EXPECT_EQ(config.system.link.latency.front(), 20 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(config.collective.size, 2 << 20);
}

TEST(BaseFile, MayHaveABaseAndLocationsNameTheRightFile) {
  const ScratchFile machine(kMachine);
  const ScratchFile middle("base: " + machine.path() + "\nsystem: {clock: 2 GHz}\n");
  const ScratchFile own("base: " + stem(middle) + ".yaml\ncollective: {size: 4 MiB}\n");
  const Loaded loaded = load(own.path(), {}, Purpose::kRun);
  EXPECT_EQ(loaded.config.system.clock.hertz, 2'000'000'000);
  EXPECT_EQ(loaded.place("system.clock").file, middle.path());
  EXPECT_EQ(loaded.place("collective.size").file, own.path());
}

TEST(BaseFile, IsFoundAmongTheShippedConfigurations) {
  const ScratchFile own("base: systems/torus_4x4\n");
  EXPECT_EQ(load(own.path(), {}, Purpose::kRun).config.system.topology.kind, "torus");
}

TEST(BaseFile, IsRejectedAtItsKey) {
  const auto complaint = [](const ScratchFile& file) -> std::string {
    try {
      load(file.path(), {}, Purpose::kRun);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  const ScratchFile absent("base: machines/none\n");
  EXPECT_THAT(complaint(absent), AllOf(HasSubstr(":1:7: base: no configuration machines/none"),
                                       HasSubstr("or machines/none.yaml found next to")));
  const ScratchFile itself("base: SELF\n");
  std::ofstream(itself.path()) << "base: " << itself.path() << "\n";
  EXPECT_THAT(complaint(itself), HasSubstr("more than 8 files extend one another"));
}

}  // namespace
}  // namespace coppice::config
