#include "topology/connectivity.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Connectivity, OfAOneWayRing) {
  Topology ring(Kind::kFile, {}, 3, 0);
  ring.add_channel(0, 1, {1}, 0);
  ring.add_channel(1, 2, {1}, 0);
  EXPECT_EQ(find_unreachable(ring), std::pair(1, 0));
  ring.add_channel(2, 0, {1}, 0);
  EXPECT_EQ(find_unreachable(ring), std::nullopt);
}

TEST(Connectivity, SwitchesNeedNotBeReached) {
  Topology topology(Kind::kFile, {}, 2, 2);
  topology.add_channel(0, 2, {1}, 0);
  topology.add_channel(2, 1, {1}, 0);
  EXPECT_THAT([&] { require_connected(topology); },
              ThrowsMessage<UnsupportedError>(HasSubstr("accelerator 1 cannot reach accelerator 0")));
  topology.add_channel(1, 0, {1}, 0);
  EXPECT_EQ(find_unreachable(topology), std::nullopt);
  EXPECT_NO_THROW(require_connected(topology));
}

TEST(Connectivity, OneAcceleratorIsConnected) {
  EXPECT_EQ(find_unreachable(sample_torus({1})), std::nullopt);
}

}  // namespace
}  // namespace coppice::topology
