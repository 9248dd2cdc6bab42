#include "config/files/astra_network.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

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
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  EXPECT_THAT(read_astra_network(file.path()).dimensions,
              ElementsAre(DimensionSpec{DimensionKind::kOneWayRing, 4, 1, {62 * kGiB + kGiB / 2}, 20 * kNs},
                          DimensionSpec{DimensionKind::kFullyConnected, 8, 7, {25 * kGiB}, 700 * kNs},
                          DimensionSpec{DimensionKind::kSwitch, 16, 1, {100 * kGiB}, 1701 * kNs}));
}

TEST(AstraNetwork, UsesBothDirectionsOfARingOnRequest) {
  const ScratchFile file(kNetwork);
  const DimensionSpec ring = read_astra_network(file.path(), RingDirections::kBoth).dimensions[0];
  EXPECT_EQ(ring.kind, DimensionKind::kRing);
  EXPECT_EQ(ring.links, 2);
  // A ring of two nodes has one link in each direction, even if rings run both ways.
  const ScratchFile pair(with("4, 8, 16", "2, 8, 16"));
  for (const RingDirections ways : {RingDirections::kOne, RingDirections::kBoth}) {
    EXPECT_EQ(read_astra_network(pair.path(), ways).dimensions[0].kind, DimensionKind::kOneWayRing);
    EXPECT_EQ(read_astra_network(pair.path(), ways).dimensions[0].links, 1);
  }
}

TEST(AstraNetwork, StatesItsAssumptions) {
  const ScratchFile file(kNetwork);
  EXPECT_THAT(
      read_astra_network(file.path()).assumptions,
      ElementsAre(HasSubstr("2^30"), HasSubstr("around a ring in one direction"), HasSubstr("two links")));
  const ScratchFile pair(with("4, 8, 16", "2, 8, 16"));
  EXPECT_THAT(read_astra_network(pair.path()).assumptions,
              ElementsAre(HasSubstr("2^30"), HasSubstr("a ring of 2"), HasSubstr("two links")));
}

TEST(AstraNetwork, SetsTheDimensionsOfAHierarchy) {
  const ScratchFile network(kNetwork);
  const ScratchFile config("system: {topology: {kind: hierarchy, dimensions: " + network.path() +
                           "}, flit: 128 B, ni: {payload: 2 KiB}}\n"
                           "collective: {algorithm: hierarchical, scheduler: themis, size: 1 MB}\n");
  const Config loaded = load(config.path(), {}, Purpose::kRun).config;
  EXPECT_EQ(loaded.system.topology.dimensions, read_astra_network(network.path()).dimensions);
  nlohmann::ordered_json result;
  write_config(loaded, result);
  EXPECT_EQ(result["assumptions"].size(), 4U);  // three from the network file and one about the buffers
  // The configuration written to the result is equivalent and does not refer to the network file.
  const ScratchFile again(result["config"].dump());
  EXPECT_EQ(load(again.path(), {}, Purpose::kRun).config.system, loaded.system);

  const std::string both = "system.topology.dimensions={file: " + network.path() + ", rings: both_ways}";
  EXPECT_EQ(load(config.path(), {both}, Purpose::kRun).config.system.topology.dimensions,
            read_astra_network(network.path(), RingDirections::kBoth).dimensions);
  const auto refused = [&](const std::string& dimensions) {
    try {
      load(config.path(), {"system.topology.dimensions=" + dimensions}, Purpose::kRun);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused("{rings: both_ways}"),
              HasSubstr("system.topology.dimensions needs a list of dimensions"));
  EXPECT_THAT(refused("{file: x.yml, rings: three}"),
              HasSubstr("dimensions.rings must be one_way or both_ways"));
  EXPECT_THAT(refused("{file: x.yml, ring: one_way}"),
              HasSubstr("did you mean 'system.topology.dimensions.rings'"));
}

// The fastest links, those to the switch, carry 450 * 2^30 bytes per second, which is 483.2 bytes per
// nanosecond.
TEST(AstraNetwork, HasFlitsThatItsLinksNeed) {
  const ScratchFile network(with("100.0", "450"));
  const ScratchFile config("system: {topology: {kind: hierarchy, dimensions: " + network.path() +
                           "}}\ncollective: {algorithm: hierarchical, size: 1 MB}\n");
  const Config chosen = load(config.path(), {}, Purpose::kRun).config;
  EXPECT_EQ(chosen.system.flit, 512);
  EXPECT_EQ(chosen.system.ni.payload, 8192);
  EXPECT_EQ(chosen.system.topology.dimensions, read_astra_network(network.path()).dimensions);
  EXPECT_THAT(chosen.assumptions.back(), HasSubstr("flits of 512 B, packets of 8 KiB and buffers of "));
  const Config given =
      load(config.path(), {"system.flit=1 KiB", "system.ni.payload=16 KiB", "system.router.vc_depth=318"},
           Purpose::kRun)
          .config;
  EXPECT_EQ(given.system.flit, 1024);
  EXPECT_EQ(given.assumptions.size(), chosen.assumptions.size() - 1);
}

TEST(AstraNetwork, LocatesMistakes) {
  EXPECT_THAT(
      complaint(with("[ 4, 8, 16 ]", "[ 4, 8 ]")),
      HasSubstr(
          "2:13: npus_count has 2 values, but topology names 3 dimensions: write one value per dimension"));
  EXPECT_THAT(complaint(with(", 100.0 ]", " ]")), HasSubstr("3:12: bandwidth has 2 values"));
  EXPECT_THAT(complaint(with("Switch", "Switches")), HasSubstr("1:35: topology[2]"));
  EXPECT_THAT(complaint(with("62.5", "0")), HasSubstr("3:14: bandwidth[0]"));
  EXPECT_THAT(complaint(with("62.5", "fast")), HasSubstr("3:14: bandwidth[0]"));
  EXPECT_THAT(complaint(with("latency", "latencies")), HasSubstr("4:1: unknown key 'latencies'"));
  EXPECT_THAT(complaint(with("latency: [ 20.0, 700, 850.5 ]", "")), HasSubstr("needs latency"));
  EXPECT_THAT(complaint(with("[ 4, 8, 16 ]", "4")), HasSubstr("2:13: npus_count must be a list"));
}

}  // namespace
}  // namespace coppice::config
