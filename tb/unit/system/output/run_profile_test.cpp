#include "system/output/run_profile.h"

#include <vector>

#include <gmock/gmock.h>

#include "topology/networks/kinds.h"

namespace coppice::system {
namespace {

using topology::Topology;

// A fabric whose number of flits per channel is set by the test.
class CountedFabric final : public fabric::Fabric {
 public:
  explicit CountedFabric(std::size_t channels) { counted.channel_flits.resize(channels); }
  void connect(topology::NodeId /*node*/, int /*port*/, fabric::Injector& /*from*/,
               fabric::Ejector& /*to*/) override {}
  void wake(topology::NodeId /*node*/, int /*port*/, Cycles /*at*/) override {}
  void add_observer(fabric::FabricObserver& /*observer*/) override {}
  const fabric::FabricStatistics& statistics() const override { return counted; }
  Cycles last_movement() const override { return 0; }
  Femtoseconds period() const override { return kFemtosecondsPerNanosecond; }
  bool idle() const override { return true; }
  void check_conservation() const override {}
  std::string describe_packets(int /*limit*/) const override { return ""; }

  fabric::FabricStatistics counted;
};

// The profile of a ring of four accelerators in which each channel carries a 16-byte flit per nanosecond.
struct Profiled {
  Topology ring{topology::make_topology(
      topology::Kind::kRing, std::vector{4},
      std::vector{topology::LinkSpec{{16'000'000'000}, 150 * kFemtosecondsPerNanosecond}})};
  config::SystemConfig system;
  CountedFabric fabric{ring.channels().size()};
  RunProfile profile{ring, system, fabric, false};

  // The utilization of a channel as one digit per 1-ns window, from 0 (idle) to z (always busy).
  std::string busy(std::size_t channel, Cycles cycles) {
    const auto json = profile.to_json(cycles);
    EXPECT_EQ(json["windows"]["length_ns"], 1);
    return json["windows"]["busy"][channel];
  }
};

TEST(RunProfile, HasAWindowForEveryPassage) {
  Profiled one;
  one.profile.channel_busy(0, 2, 5, 3 * kFemtosecondsPerNanosecond);
  one.profile.channel_busy(1, 0, 8, 8 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(one.busy(0, 8), "00zzz000");
  EXPECT_EQ(one.busy(1, 8), "zzzzzzzz");
  EXPECT_EQ(one.busy(2, 8), "00000000");
}

TEST(RunProfile, CountsNoPassageWithoutFlits) {
  Profiled one;
  one.profile.channel_busy(0, 4, 4, 0);
  one.profile.channel_busy(0, 6, 4, 0);
  EXPECT_FALSE(one.profile.to_json(8).contains("windows"));
}

// Once the profile samples the fabric's totals, it must not also count individual flits.
TEST(RunProfile, CountsNoPassageTwiceOnceItSamples) {
  Profiled one;
  one.profile.sample_from(0);
  one.profile.channel_busy(0, 0, 8, 8 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(one.busy(0, 8), "00000000");
  Profiled other;
  other.profile.sample_from(0);
  other.fabric.counted.channel_flits[0] = 4;
  EXPECT_EQ(other.busy(0, 8), "VVVVVVVV");  // busy for half of each window
}

}  // namespace
}  // namespace coppice::system
