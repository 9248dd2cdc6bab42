#include "config/settings/config.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

TEST(Config, NamesItsEnumeratorsAsTheFileDoes) {
  EXPECT_STREQ(to_string(Fidelity::kAuto), "auto");
  EXPECT_STREQ(to_string(Fidelity::kFlit), "flit");
  EXPECT_STREQ(to_string(Fidelity::kTrain), "train");
  EXPECT_STREQ(to_string(Fidelity::kFluid), "fluid");
  EXPECT_STREQ(to_string(Check::kAuto), "auto");
  EXPECT_STREQ(to_string(Check::kValues), "values");
  EXPECT_STREQ(to_string(Check::kContributions), "contributions");
  EXPECT_STREQ(to_string(Check::kOff), "off");
  EXPECT_STREQ(to_string(FlowControl::kPacket), "packet");
  EXPECT_STREQ(to_string(FlowControl::kMessage), "message");
  EXPECT_STREQ(to_string(Implementation::kSystemc), "systemc");
  EXPECT_STREQ(to_string(Implementation::kRtl), "rtl");
}

TEST(Config, DefaultsToTheMultiTreeMachine) {
  const SystemConfig system;
  EXPECT_EQ(system.link.bandwidth, std::vector<Bandwidth>{{16'000'000'000}});
  EXPECT_EQ(system.link.latency, std::vector<Femtoseconds>{150'000'000});
  EXPECT_EQ(system.clock.hertz, 1'000'000'000);
  EXPECT_EQ(system.flit, 16);
  EXPECT_EQ(system.router.vcs, 4);
  EXPECT_EQ(system.router.vc_depth, 318);
  EXPECT_EQ(system.ni.payload, 256);
  EXPECT_EQ(system.accelerator.pes, 16);
}

}  // namespace
}  // namespace coppice::config
