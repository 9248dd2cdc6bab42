#include "system/cluster/host_paths.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "small_clos.h"

namespace coppice::system {
namespace {

TEST(HostPaths, UseTheSetSpine) {
  const SmallClos small;
  HostPaths paths(small.clos, small.flows, 4);
  for (const int spine : {0, 1}) {
    paths.set_spine(0, spine);
    EXPECT_EQ(paths.route(0, 2), small.clos.route(0, 2, spine, 4));
  }
  EXPECT_EQ(paths.spine(1), routing::kNoSpine);
  EXPECT_EQ(paths.route(2, 3), small.clos.route(2, 3, routing::kNoSpine, 4));
}

// A message in flight keeps its route when the spine of its flow changes.
TEST(HostPaths, KeepUsedRoutes) {
  const SmallClos small;
  HostPaths paths(small.clos, small.flows, 4);
  paths.set_spine(0, 0);
  const topology::Route& first = paths.route(0, 2);
  const topology::Route copy = first;
  paths.set_spine(0, 1);
  EXPECT_NE(paths.route(0, 2), copy);
  EXPECT_EQ(first, copy);
}

TEST(HostPaths, RejectAPairWithoutAFlow) {
  const SmallClos small;
  const HostPaths paths(small.clos, small.flows, 4);
  EXPECT_THROW(paths.route(0, 3), ModelError);
  EXPECT_THROW(paths.route(3, 0), ModelError);
}

// Changing one flow's spine does not affect another flow's route.
TEST(HostPaths, SetTheSpineOfOneFlow) {
  const SmallClos small;
  HostPaths paths(small.clos, small.flows, 2);
  paths.set_spine(0, 0);
  paths.set_spine(1, 1);
  EXPECT_EQ(paths.spine(0), 0);
  EXPECT_EQ(paths.route_of(0), small.clos.route(0, 2, 0, 2));
  EXPECT_EQ(paths.route_of(1), small.clos.route(1, 3, 1, 2));
  paths.set_spine(1, 0);
  EXPECT_EQ(paths.route_of(0), small.clos.route(0, 2, 0, 2));
  EXPECT_EQ(paths.route_of(1), small.clos.route(1, 3, 0, 2));
  EXPECT_EQ(paths.flows().size(), 3U);
}

}  // namespace
}  // namespace coppice::system
