#include "config/keys/dimensions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/effects.h"
#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using topology::DimensionKind;

// A configuration with `first` as dimension 0 on line 4 and `second` as dimension 1 on line 5.
std::string hierarchy(const std::string& first, const std::string& second, const std::string& rest = "") {
  return "system:\n  topology: {kind: hierarchy, dimensions: [\n\n    " + first + ",\n    " + second +
         "]}\n  flit: 64 B\ncollective: {algorithm: hierarchical, size: 1 MiB, chunks: 4}\n" + rest;
}

constexpr const char* kSwitch = "{kind: switch, size: 4, bandwidth: 200 Gb/s, latency: 700 ns}";
constexpr const char* kRing = "{kind: ring, size: 3, links: 4, bandwidth: 25 GB/s, latency: 20 ns}";

// The refusal of `text`, as "line: message".
std::string complaint(const std::string& text, Purpose purpose = Purpose::kRun) {
  const ScratchFile file(text);
  try {
    load(file.path(), {}, purpose);
  } catch (const ConfigError& error) {
    const std::string located = error.what();  // "file:line:column: message"
    return std::to_string(error.where().line) + located.substr(located.find(": "));
  }
  return "accepted";
}

TEST(Dimensions, AreReadWithTheirUnits) {
  const ScratchFile file(hierarchy(kSwitch, kRing));
  const Loaded loaded = load(file.path(), {}, Purpose::kRun);
  const auto& dimensions = loaded.config.system.topology.dimensions;
  ASSERT_EQ(dimensions.size(), 2U);
  EXPECT_EQ(dimensions[0],
            (topology::DimensionSpec{
                DimensionKind::kSwitch, 4, 1, {25'000'000'000}, 700 * kFemtosecondsPerNanosecond}));
  EXPECT_EQ(dimensions[1],
            (topology::DimensionSpec{
                DimensionKind::kRing, 3, 4, {25'000'000'000}, 20 * kFemtosecondsPerNanosecond}));
  EXPECT_EQ(loaded.config.collective.chunks, 4);
  EXPECT_TRUE(ineffective_keys(loaded, Purpose::kRun).empty());
}

TEST(Dimensions, NameTheSchedulerOfTheirChunks) {
  const ScratchFile file(hierarchy(kSwitch, kRing));
  const auto load_with = [&](const std::vector<std::string>& overrides) {
    return load(file.path(), overrides, Purpose::kRun).config.collective;
  };
  EXPECT_EQ(load_with({}).chunk_policy.scheduler, schedule::ChunkScheduler::kBaseline);
  EXPECT_FALSE(load_with({}).chunk_policy.intra_dimension.has_value());
  const workload::CollectiveSpec chosen =
      load_with({"collective.scheduler=themis_plus", "collective.intra_dimension=fifo"});
  EXPECT_EQ(chosen.chunk_policy.scheduler, schedule::ChunkScheduler::kThemisPlus);
  EXPECT_EQ(chosen.chunk_policy.intra_dimension, schedule::IntraDimension::kFifo);
  EXPECT_THAT([&] { load_with({"collective.scheduler=themis_fifo"}); },
              ThrowsMessage<ConfigError>(HasSubstr("must be baseline, themis or themis_plus")));
}

TEST(Dimensions, AreWrittenAsTheyAreRead) {
  const ScratchFile file(hierarchy(kSwitch, kRing));
  const Loaded loaded = load(file.path(), {}, Purpose::kRun);
  const ScratchFile copy(to_json(loaded.config).dump());
  const Config again = load(copy.path(), {}, Purpose::kRun).config;
  EXPECT_EQ(again.system, loaded.config.system);
  EXPECT_EQ(again.collective, loaded.config.collective);
}

TEST(Dimensions, OfAWrongFormAreRejectedWithTheirLocation) {
  EXPECT_THAT(
      complaint(hierarchy("{kind: swich, size: 4, bandwidth: 1 GB/s, latency: 1 ns}", kRing)),
      AllOf(HasSubstr("4: system.topology.dimensions[0].kind must be ring, fully_connected or switch"),
            HasSubstr("did you mean 'switch'?")));
  EXPECT_THAT(complaint(hierarchy(kSwitch, "{kind: switch, size: 1, bandwidth: 1 GB/s, latency: 1 ns}")),
              HasSubstr("5: system.topology.dimensions[1].size must be a whole number from 2"));
  EXPECT_THAT(complaint(hierarchy(kSwitch, "{kind: switch, size: 2, bandwidth: 0 GB/s, latency: 1 ns}")),
              HasSubstr("5: system.topology.dimensions[1].bandwidth must be"));
  EXPECT_THAT(complaint(hierarchy(kSwitch, "{kind: switch, size: 2, bandwidth: 1 GB/s}")),
              HasSubstr("5: system.topology.dimensions[1] has no latency"));
  EXPECT_THAT(complaint(hierarchy("{kind: switch, width: 2, bandwidth: 1 GB/s, latency: 1 ns}", kRing)),
              HasSubstr("4: unknown key 'system.topology.dimensions[0].width'"));
  EXPECT_THAT(complaint(hierarchy("7", kRing)),
              HasSubstr("4: system.topology.dimensions[0] must be a section"));
  EXPECT_THAT(
      complaint("system:\n  topology: {kind: hierarchy}\ncollective: {size: 1 MiB}\n", Purpose::kBound),
      HasSubstr("2: system.topology.dimensions is missing"));
}

TEST(Dimensions, ThatCannotBeBuiltAreRejected) {
  EXPECT_THAT(
      complaint(hierarchy(kSwitch, "{kind: ring, size: 3, links: 3, bandwidth: 1 GB/s, latency: 1 ns}")),
      HasSubstr("5: system.topology.dimensions: dimension 1 of a hierarchy: a ring of 3 has links in 2 "
                "directions from every accelerator: 3 links cannot be divided evenly, but 4 can"));
  EXPECT_THAT(
      complaint(hierarchy("{kind: switch, size: 4, links: 4, bandwidth: 25 GB/s, latency: 1 ns}", kRing)),
      AllOf(HasSubstr("4: "), HasSubstr("100 GB/s exceeds one flit"), HasSubstr("set system.flit to 128 B")));
  EXPECT_THAT(complaint(hierarchy("{kind: switch, size: 4, bandwidth: 1 GB/s, latency: 2 ms}", kRing)),
              AllOf(HasSubstr("4: "), HasSubstr("at most 1048576 cycles can be simulated")));
}

TEST(Dimensions, LimitTheNumberOfChunks) {
  const std::string text = hierarchy(kSwitch, kRing);
  const ScratchFile file(text);
  try {
    load(file.path(), {"collective.chunks=100000"}, Purpose::kRun);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("collective.chunks is 100000, but 1 MiB can be divided into at most 10922 chunks"));
  }
}

TEST(Dimensions, DisableTheLinkSection) {
  const std::string text = hierarchy(kSwitch, kRing);
  const ScratchFile file(text);
  const Loaded loaded = load(file.path(), {"system.link.bandwidth=8 GB/s"}, Purpose::kRun);
  EXPECT_THAT(
      ineffective_keys(loaded, Purpose::kRun),
      testing::ElementsAre(HasSubstr("the links of a hierarchy are set in system.topology.dimensions")));
}

}  // namespace
}  // namespace coppice::config
