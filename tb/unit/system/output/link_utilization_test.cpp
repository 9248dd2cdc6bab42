#include "system/output/link_utilization.h"

#include <vector>

#include <gtest/gtest.h>

#include "topology/networks/builders.h"

namespace coppice::system {
namespace {

// On a channel with 8 GB/s, a 16-byte flit takes two cycles.
TEST(LinkUtilization, CountsAChannelBusyForItsFlitTime) {
  const config::Config config;
  const topology::Topology topology =
      topology::make_mesh(std::vector{2}, std::vector{topology::LinkSpec{{8'000'000'000}, 0}});
  fabric::FabricStatistics statistics;
  statistics.channel_flits = {100, 300};
  nlohmann::ordered_json json;
  write_channels(config.system, topology, statistics, 1'000'000'000, json);
  EXPECT_DOUBLE_EQ(json["link_utilization"]["max"], 0.6);
  EXPECT_DOUBLE_EQ(json["link_utilization"]["mean"], 0.4);
  EXPECT_EQ(json["channels"].size(), 2U);
  statistics.channel_flits = {0, 0};
  write_channels(config.system, topology, statistics, 0, json);
  EXPECT_EQ(json["link_utilization"]["max"], 0.0);
}

}  // namespace
}  // namespace coppice::system
