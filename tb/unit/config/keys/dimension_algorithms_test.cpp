#include "config/keys/key_groups.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using schedule::DimensionMethod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config load_with(const std::string& algorithms) {
  const ScratchFile config(
      "system: {topology: {kind: hierarchy, dimensions: [{kind: switch, size: 6, bandwidth: 4 GB/s, latency: "
      "1 ns}, {kind: fully_connected, size: 3, links: 2, bandwidth: 4 GB/s, latency: 1 ns}]}}\n"
      "collective: {algorithm: hierarchical, size: 1 MiB, dimension_algorithms: " +
      algorithms + "}\n");
  return load(config.path(), {}, Purpose::kRun).config;
}

TEST(DimensionAlgorithms, AreAListOfNames) {
  EXPECT_THAT(load_with("[ring, direct]").collective.chunk_policy.methods,
              ElementsAre(DimensionMethod::kRing, DimensionMethod::kDirect));
}

TEST(DimensionAlgorithms, ComeFromASystemFileOfAstraSim) {
  const ScratchFile system(R"({"all-reduce-implementation": ["ring", "direct"]})", ".json");
  const Config loaded = load_with(system.path());
  EXPECT_THAT(loaded.collective.chunk_policy.methods,
              ElementsAre(DimensionMethod::kRing, DimensionMethod::kDirect));
  const ScratchFile again(to_json(loaded).dump());
  EXPECT_EQ(load(again.path(), {}, Purpose::kRun).config.collective, loaded.collective);
}

TEST(DimensionAlgorithms, ReportUnknownNames) {
  try {
    load_with("[ring, star]");
    FAIL() << "accepted an unknown algorithm";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("collective.dimension_algorithms[1]"));
  }
}

}  // namespace
}  // namespace coppice::config
