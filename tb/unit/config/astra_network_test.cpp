#include "config/astra_network.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using topology::DimensionKind;
using topology::DimensionSpec;

constexpr const char* kNetwork =
    "topology: [ Ring, FullyConnected, Switch ]  # three dimensions\n"
    "npus_count: [ 4, 8, 16 ]\n"
    "bandwidth: [ 62.5, 25, 100.0 ]  # GB/s\n"
    "latency: [ 20.0, 700, 850.5 ]  # ns\n";

std::string complaint(const std::string& text) {
  const ScratchFile file(text);
  try {
    read_astra_network(file.path());
  } catch (const ConfigError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "accepted";
}

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kNetwork;
  return text.replace(text.find(what), what.size(), instead);
}

TEST(AstraNetwork, DescribesDimensions) {
  const ScratchFile file(kNetwork);
  constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;
  EXPECT_THAT(read_astra_network(file.path()),
              ElementsAre(DimensionSpec{DimensionKind::kRing, 4, 2, {62'500'000'000}, 20 * kNs},
                          DimensionSpec{DimensionKind::kFullyConnected, 8, 7, {25'000'000'000}, 700 * kNs},
                          DimensionSpec{DimensionKind::kSwitch, 16, 1, {100'000'000'000}, 1701 * kNs}));
}

TEST(AstraNetwork, StandsForTheDimensionsOfAHierarchy) {
  const ScratchFile network(kNetwork);
  const ScratchFile config("system: {topology: {kind: hierarchy, dimensions: " + network.path() +
                           "}, flit: 128 B}\n"
                           "collective: {algorithm: hierarchical, scheduler: themis, size: 1 MB}\n");
  const Config loaded = load(config.path(), {}, Purpose::kRun).config;
  EXPECT_EQ(loaded.system.topology.dimensions, read_astra_network(network.path()));
}

TEST(AstraNetwork, PointsAtWhatIsWrong) {
  EXPECT_THAT(
      complaint(with("[ 4, 8, 16 ]", "[ 4, 8 ]")),
      HasSubstr("2:13: npus_count has 2 values, but topology names 3 dimensions: write one for each"));
  EXPECT_THAT(complaint(with(", 100.0 ]", " ]")), HasSubstr("3:12: bandwidth has 2 values"));
  EXPECT_THAT(complaint(with("Switch", "Switches")), HasSubstr("1:35: topology[2]"));
  EXPECT_THAT(complaint(with("62.5", "0")), HasSubstr("3:14: bandwidth[0]"));
  EXPECT_THAT(complaint(with("62.5", "fast")), HasSubstr("3:14: bandwidth[0]"));
  EXPECT_THAT(complaint(with("latency", "latencies")), HasSubstr("4:1: unknown key 'latencies'"));
  EXPECT_THAT(complaint(with("latency: [ 20.0, 700, 850.5 ]", "")), HasSubstr("has no latency"));
  EXPECT_THAT(complaint(with("[ 4, 8, 16 ]", "4")), HasSubstr("2:13: npus_count must be a list"));
}

}  // namespace
}  // namespace coppice::config
