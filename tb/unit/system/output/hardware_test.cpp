#include "system/output/hardware.h"

#include <cmath>

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::DoubleNear;
using Json = nlohmann::ordered_json;

// The hardware section of a 64 KiB all-reduce among 16 accelerators, with 1,000 flits of 16 bytes and 3,000
// router traversals.
Json hardware_of(const std::vector<std::string>& overrides) {
  std::vector<std::string> all{"collective.size=64 KiB", "system.flit=16 B", "system.router.vcs=4",
                               "system.router.vc_depth=64"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  Json result{{"flits", 1000}, {"flit_hops", 3000}};
  add_hardware(result, load_system("torus_4x4", all));
  return result.at("hardware");
}

TEST(Hardware, CountsRoutersInVerilogAndTheirBuffers) {
  const Json energy = hardware_of({"hardware.technology=osu018"}).at("energy");
  // A router needs 152 pJ per flit, and for each of its 128 bits 0.383 pJ plus 0.143 pJ for each of 8 ports.
  // The sum is close to the measured 348 pJ. Each of the two buffer accesses takes 10 pJ for 64 bits in 8 KiB
  // at 45 nm and 0.9 V. Scaling to 128 bits, 4 KiB and 0.18 um means four times the feature size and twice
  // the voltage.
  const double logic = 152 + 128 * (0.383 + 8 * 0.143);
  EXPECT_THAT(logic, DoubleNear(348, 1));
  const double buffers = 16 * 2 * 2 * 10 * std::sqrt(0.5);
  EXPECT_THAT(energy.at("routers_uj").get<double>(), DoubleNear(3000 * (logic + buffers) * 1e-6, 1e-9));
  // The data has 16 Ki words, and each word is the sum of 16 values, which takes 15 additions.
  EXPECT_THAT(energy.at("additions_uj").get<double>(), DoubleNear(16384 * 15 * 252e-6, 1e-9));
}

// At 45 nm, half the voltage quarters all energies. In addition, the capacitance of logic shrinks to 0.118,
// as measured, and that of memories to a quarter, like the feature size.
TEST(Hardware, ScalesEnergiesOfLogicAsMeasuredAndOfMemoriesByFeatureSize) {
  const Json here = hardware_of({"hardware.technology=osu018"}).at("energy");
  const Json there = hardware_of({"hardware.technology=45nm"}).at("energy");
  const auto ratio = [&](const char* part) {
    return there.at(part).get<double>() / here.at(part).get<double>();
  };
  EXPECT_THAT(ratio("additions_uj"), DoubleNear(0.118 / 4, 1e-9));
  EXPECT_GT(ratio("routers_uj"), 0.118 / 4);  // contain logic and memory
  EXPECT_LT(ratio("routers_uj"), 0.25 / 4);
  EXPECT_EQ(there.at("links_uj"), here.at("links_uj"));
  EXPECT_EQ(there.at("memory_uj"), here.at("memory_uj"));
}

TEST(Hardware, ScalesAreasOfLogicAsMeasuredAndOfMemoriesByTheSquareOfTheFeatureSize) {
  const auto router = [](const char* technology, int depth) {
    return hardware_of({std::string("hardware.technology=") + technology,
                        "system.router.vc_depth=" + std::to_string(depth)})
        .at("area")
        .at("routers_mm2")
        .get<double>();
  };
  const double memory_here = router("osu018", 128) - router("osu018", 64);  // the area of 64 additional slots
  const double memory_there = router("45nm", 128) - router("45nm", 64);
  EXPECT_THAT(memory_there, DoubleNear(memory_here / 16, 1e-9));
  EXPECT_THAT(router("45nm", 64) - memory_there,
              DoubleNear((router("osu018", 64) - memory_here) * 0.0376, 1e-9));
}

TEST(Hardware, StatesHowFarScaledFiguresMayBeOff) {
  const Json here = hardware_of({"hardware.technology=osu018"});
  const Json there = hardware_of({"hardware.technology=45nm"});
  EXPECT_THAT(here.at("area_error").get<double>(), DoubleNear(1.023, 1e-9));
  EXPECT_THAT(there.at("area_error").get<double>(), DoubleNear(1.023 * 1.5, 1e-9));
  EXPECT_THAT(here.at("energy_error").get<double>(), DoubleNear(1.3, 1e-9));
  EXPECT_THAT(there.at("energy_error").get<double>(), DoubleNear(1.3 * 1.6, 1e-9));
}

// Ejections, which do not use a link, account for 1,000 of the 3,000 router traversals. Each remaining
// 16-byte flit takes 1.17 pJ per bit on a link.
TEST(Hardware, ChargesLinksOnlyForTheirOwnFlits) {
  const Json energy = hardware_of({"hardware.technology=osu018"}).at("energy");
  EXPECT_THAT(energy.at("links_uj").get<double>(), DoubleNear(2000 * 128 * 1.17e-6, 1e-9));
}

TEST(Hardware, SumsItsParts) {
  const Json hardware = hardware_of({"hardware.technology=osu018"});
  double sum = 0;
  for (const auto& part : hardware.at("energy")) sum += part.get<double>();
  EXPECT_EQ(hardware.at("energy_uj").get<double>(), sum);
}

}  // namespace
}  // namespace coppice::system
