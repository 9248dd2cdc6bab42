#include "rtl_writer/design.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.h"
#include "small_design.h"

namespace coppice::rtl_writer {
namespace {

using ::testing::HasSubstr;
using testing::SmallDesign;

TEST(Shape, IsExactlyLargeEnough) {
  const SmallDesign small;
  const Shape shape = shape_of(small.design());
  EXPECT_EQ(shape.ports, 4);
  EXPECT_EQ(shape.flit_bits, 128);
  EXPECT_EQ(shape.depth, 32);
  EXPECT_EQ(shape.hop_port_bits, 3);  // encodes 4 links and 4 ports of the network interface
  EXPECT_EQ(shape.words, 64);
  EXPECT_GE(shape.flows, small.design().schedule.flows);
  std::size_t longest = 0;
  for (const topology::Route& route : small.design().schedule.routes) {
    longest = std::max(longest, route.size());
  }
  EXPECT_EQ(shape.hops, static_cast<int>(longest));
}

TEST(Shape, CountsThePortsOfSwitches) {
  const SmallDesign small({"system.topology.kind=fat_tree", "system.topology.dims=[8, 2, 0]"});
  // Each switch has ports for its 8 accelerators and for 8 links to the other leaf.
  EXPECT_EQ(shape_of(small.design()).hop_port_bits, 4);
}

struct Refused {
  std::vector<std::string> settings;
  const char* key;
  const char* right;
};

class Refusal : public ::testing::TestWithParam<Refused> {};

TEST_P(Refusal, NamesTheKeyAndStatesValidValues) {
  const SmallDesign small(GetParam().settings);
  try {
    require_verilog(small.design());
    FAIL() << "the design was accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().key));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().right));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Keys, Refusal,
    ::testing::Values(
        Refused{{"system.router.vcs=3"}, "system.router.vcs is 3", "a power of two of at least 2"},
        Refused{{"system.router.vc_depth=2000"}, "system.router.vc_depth is 2000", "at most 1023"},
        Refused{{"system.router.routing_delay=2"}, "system.router.routing_delay is 2", "write 1"},
        Refused{{"system.router.credit_delay=2"}, "system.router.credit_delay is 2", "write 1"},
        Refused{{"system.link.bandwidth=8 GB/s"}, "system.link.bandwidth", "write 16 GB/s"},
        Refused{{"system.ni.launch=1 us"}, "system.ni.launch is 1 us", "0 ns"},
        Refused{{"system.ni.message_setup=5 ns"}, "system.ni.message_setup", "write 0 ns"},
        Refused{{"system.ni.reduction_latency=5"}, "system.ni.reduction_latency", "4"},
        Refused{{"system.accelerator.memory_bandwidth=100 GB/s"},
                "system.accelerator.memory_bandwidth",
                "serves all ports at full rate"},
        Refused{{"system.topology.kind=mesh", "system.topology.dims=[9]", "collective.algorithm=direct"},
                "system.flit of 16 B",
                "write 32 B"}));

TEST(RequireVerilog, AcceptsWhatTheVerilogSupports) {
  EXPECT_NO_THROW(require_verilog(SmallDesign().design()));
  EXPECT_NO_THROW(require_verilog(
      SmallDesign({"system.topology.kind=fat_tree", "system.topology.dims=[2, 2, 0]"}).design()));
}

}  // namespace
}  // namespace coppice::rtl_writer
