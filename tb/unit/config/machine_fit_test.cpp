#include "config/machine_fit.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Loaded load_links(const std::string& links, const std::vector<std::string>& overrides = {}) {
  const ScratchFile file("system: {topology: {kind: switch, dims: [8]}, link: " + links +
                         "}\ncollective: {algorithm: ring, size: 1 MiB}\n");
  return load(file.path(), overrides, Purpose::kRun);
}

TEST(MachineFit, DoesNotChangeTheMachineOfMultiTree) {
  const Loaded loaded = load_links("{bandwidth: 16 GB/s, latency: 150 ns}");
  EXPECT_EQ(loaded.config.system.flit, 16);
  EXPECT_EQ(loaded.config.system.ni.payload, 256);
  EXPECT_EQ(loaded.config.system.router.vc_depth, 318);
  EXPECT_THAT(loaded.config.assumptions, IsEmpty());
}

TEST(MachineFit, UsesFlitsThatTheFastestLinkMovesInACycle) {
  const auto flit = [](const std::string& bandwidth) {
    return load_links("{bandwidth: " + bandwidth + ", latency: 10 ns}").config.system.flit;
  };
  EXPECT_EQ(flit("1 GB/s"), 16);
  EXPECT_EQ(flit("50 GB/s"), 64);
  EXPECT_EQ(flit("450 GB/s"), 512);
  EXPECT_EQ(flit("900 GB/s"), 1024);
  EXPECT_EQ(flit("1024 GB/s"), 1024);
}

TEST(MachineFit, CoversTheCreditLoop) {
  const SystemConfig system = load_links("{bandwidth: 50 GB/s, latency: 500 ns}").config.system;
  EXPECT_EQ(system.ni.payload, 1024);
  // The credit loop of 1,006 cycles is divided by 1.28 cycles per flit (64 B at 50 GB/s). A dozen flits are
  // added and the sum is rounded up.
  EXPECT_EQ(system.router.vc_depth, 800);
}

TEST(MachineFit, KeepsSetValuesAndFitsTheOthers) {
  const Loaded loaded = load_links("{bandwidth: 50 GB/s, latency: 500 ns}",
                                   {"system.flit=128 B", "system.router.vc_depth=auto"});
  EXPECT_EQ(loaded.config.system.flit, 128);
  EXPECT_EQ(loaded.config.system.ni.payload, 2048);
  EXPECT_THAT(loaded.config.assumptions, ElementsAre(AllOf(HasSubstr("packets of 2 KiB and buffers of"),
                                                           HasSubstr("runs at full rate"))));
}

TEST(MachineFit, IncludesTheUsableShareOfALink) {
  const SystemConfig system =
      load_links("{bandwidth: 900 GB/s, latency: 10 ns, efficiency: 0.5}").config.system;
  EXPECT_EQ(system.flit, 512);
}

// links_of() lists each combination of bandwidth and latency once.
TEST(LinksOf, HasEachKindOfLinkOnce) {
  const ScratchFile file(
      "system:\n  topology:\n    kind: hierarchy\n    dimensions:\n"
      "      - {kind: ring, size: 4, links: 2, bandwidth: 100 GB/s, latency: 40 ns}\n"
      "      - {kind: ring, size: 4, links: 2, bandwidth: 50 GB/s, latency: 40 ns}\n"
      "      - {kind: ring, size: 4, links: 2, bandwidth: 50 GB/s, latency: 500 ns}\n"
      "      - {kind: ring, size: 4, links: 2, bandwidth: 100 GB/s, latency: 40 ns}\n"
      "collective: {algorithm: ring, size: 1 MiB}\n");
  const auto has = [](std::int64_t gb_per_s, std::int64_t ns) {
    return AllOf(::testing::Field(&topology::LinkSpec::bandwidth, Bandwidth{gb_per_s * 1'000'000'000}),
                 ::testing::Field(&topology::LinkSpec::latency, ns * kFemtosecondsPerNanosecond));
  };
  const Loaded loaded = load(file.path(), {}, Purpose::kRun);
  EXPECT_THAT(links_of(loaded), ::testing::UnorderedElementsAre(has(100, 40), has(50, 40), has(50, 500)));
}

TEST(ShallowBuffers, ReportTheirCost) {
  const std::string link = "{bandwidth: 64 GB/s, latency: 500 ns}";
  EXPECT_THAT(shallow_buffers(load_links(link)), IsEmpty());
  EXPECT_THAT(shallow_buffers(load_links(link, {"system.router.vc_depth=auto"})), IsEmpty());
  EXPECT_THAT(shallow_buffers(load_links(link, {"system.router.vc_depth=2000"})), IsEmpty());
  EXPECT_THAT(shallow_buffers(load_links(link, {"system.router.vc_depth=100", "system.router.vcs=4"})),
              ElementsAre(AllOf(HasSubstr("warning: system.router.vc_depth is 100 flits, which covers 40%"),
                                HasSubstr("write 1018 or auto"))));
}

}  // namespace
}  // namespace coppice::config
