#include "config/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::config {
namespace {

using ::testing::HasSubstr;

// A valid configuration. To identify keys in messages, each key has a file of its own that is named after it,
// such as "system.flit".
Loaded torus() {
  Loaded loaded;
  loaded.top = {"top"};
  loaded.config.system.topology = {"torus", {4, 4}};
  loaded.config.collective = {.algorithm = "ring", .size = 1024};
  for (const char* key : {"system.flit", "system.link.bandwidth", "system.link.bandwidth[0]",
                          "system.link.bandwidth[1]", "system.link.latency", "system.router.vcs",
                          "system.ni.payload", "collective.size", "observe.nodes[0]"}) {
    loaded.places[key] = {key};
  }
  return loaded;
}

// The rule that `loaded` violates, as "file | message".
std::string complaint(const Loaded& loaded) {
  try {
    check_rules(loaded);
  } catch (const ConfigError& error) {
    return error.where().file + " | " + error.what();
  }
  return "accepted";
}

TEST(Rules, AcceptTheDefaults) {
  EXPECT_EQ(complaint(torus()), "accepted");
}

TEST(Rules, RequireOneLinkValueOrOnePerDimension) {
  Loaded loaded = torus();
  loaded.config.system.link.bandwidth.assign(3, {1'000'000'000});
  EXPECT_THAT(complaint(loaded), HasSubstr("system.link.bandwidth lists 3 values for 2 dimensions"));
  loaded = torus();
  loaded.config.system.link.latency.assign(2, 0);
  EXPECT_EQ(complaint(loaded), "accepted");
}

TEST(Rules, RequireAtLeastOneCyclePerFlit) {
  Loaded loaded = torus();
  loaded.config.system.link.bandwidth = {{16'000'000'000}, {16'100'000'000}};
  EXPECT_THAT(complaint(loaded), HasSubstr("system.link.bandwidth[1] | "));
  EXPECT_THAT(
      complaint(loaded),
      HasSubstr("set system.flit to 32 B and system.ni.payload to 512 B, or system.clock to 1.1 GHz"));
  loaded.config.system.flit = 32;
  EXPECT_EQ(complaint(loaded), "accepted");
  loaded.config.system.flit = 16;
  loaded.config.system.topology.dims = {4, 1};  // the second dimension has no links
  EXPECT_EQ(complaint(loaded), "accepted");
}

TEST(Rules, RequireExactLatencies) {
  Loaded loaded = torus();
  loaded.config.system.link.latency = {1'048'576'000'000};
  EXPECT_EQ(complaint(loaded), "accepted");
  loaded.config.system.link.latency = {1'048'577'000'000};
  EXPECT_THAT(complaint(loaded), HasSubstr("system.link.latency | "));
}

TEST(Rules, RequireTwoVirtualChannelsForADateline) {
  Loaded loaded = torus();
  loaded.config.system.router.vcs = 1;
  EXPECT_THAT(complaint(loaded), HasSubstr("system.router.vcs | "));
  EXPECT_THAT(complaint(loaded), HasSubstr("a torus needs at least 2"));
  loaded.config.system.topology.dims = {2, 2};
  EXPECT_EQ(complaint(loaded), "accepted");
  loaded.config.system.topology = {"mesh", {4, 4}};
  EXPECT_EQ(complaint(loaded), "accepted");
}

TEST(Rules, RequireAPayloadOfWholeFlits) {
  Loaded loaded = torus();
  loaded.config.system.ni.payload = 250;
  EXPECT_THAT(
      complaint(loaded),
      HasSubstr("system.ni.payload is 250 B, which is not a whole number of flits of 16 B: write 256 B"));
  loaded.config.system.ni.flow_control = FlowControl::kMessage;
  EXPECT_EQ(complaint(loaded), "accepted");
}

TEST(Rules, RequireObservedNodesThatExist) {
  Loaded loaded = torus();
  loaded.config.observe_nodes = {16};
  EXPECT_THAT(complaint(loaded), HasSubstr("observe.nodes[0] | "));
  EXPECT_THAT(complaint(loaded), HasSubstr("the accelerators are numbered 0 to 15"));
}

}  // namespace
}  // namespace coppice::config
