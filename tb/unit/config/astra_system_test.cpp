#include "config/astra_system.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(const std::string& text) {
  const ScratchFile file(text, ".json");
  try {
    read_astra_system(file.path());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(AstraSystem, HasTheAlgorithmOfEveryDimension) {
  const ScratchFile file(
      R"({"scheduling-policy": "LIFO", "all-reduce-implementation": ["oneRing", "direct", "halvingDoubling"]})",
      ".json");
  const AstraSystem system = read_astra_system(file.path());
  EXPECT_THAT(system.algorithms, ElementsAre("ring", "direct", "halving_doubling"));
  EXPECT_THAT(system.assumptions, ElementsAre(HasSubstr("not read: scheduling-policy")));
}

TEST(AstraSystem, SaysWhatItDoesNotRun) {
  EXPECT_THAT(complaint(R"({"all-reduce-implementation": ["doubleBinaryTree"]})"),
              HasSubstr("\"doubleBinaryTree\" is not run by a dimension here; ring, oneRing"));
  EXPECT_THAT(complaint("{}"), HasSubstr("has a list all-reduce-implementation"));
  EXPECT_THAT(complaint("["), HasSubstr("is no JSON"));
  EXPECT_THAT(complaint("[1e999]"), HasSubstr("is no JSON"));
}

TEST(AstraSystem, StandsForAListInAConfiguration) {
  const ScratchFile system(R"({"all-reduce-implementation": ["ring", "direct"]})", ".json");
  const ScratchFile config(
      "system: {topology: {kind: hierarchy, dimensions: [{kind: switch, size: 6, bandwidth: 4 GB/s, latency: "
      "1 "
      "ns}, {kind: fully_connected, size: 3, links: 2, bandwidth: 4 GB/s, latency: 1 ns}]}}\n"
      "collective: {algorithm: hierarchical, size: 1 MiB, dimension_algorithms: " +
      system.path() + "}\n");
  const Config loaded = load(config.path(), {}, Purpose::kRun).config;
  EXPECT_THAT(loaded.collective.dimension_algorithms, ElementsAre("ring", "direct"));
  const ScratchFile again(to_json(loaded).dump());
  EXPECT_EQ(load(again.path(), {}, Purpose::kRun).config.collective, loaded.collective);
}

}  // namespace
}  // namespace coppice::config
