#include "topology/structure/faults.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

constexpr LinkSpec kLink{{16'000'000'000}, 150'000'000};

TEST(WithFaults, RemovesLinksInBothDirectionsAndSlowsDownOthers) {
  const Topology torus = make_torus(std::vector{4, 3}, std::vector{kLink, kLink});
  const std::vector<std::pair<NodeId, NodeId>> failed{{1, 0}};
  const std::vector<DegradedLink> degraded{{.a = 1, .b = 2, .share = 0.25}};
  const Topology left = with_faults(torus, failed, degraded);
  EXPECT_EQ(left.channels().size(), torus.channels().size() - 2);
  int slow = 0;
  for (const Channel& channel : left.channels()) {
    const auto ends = std::minmax({channel.src, channel.dst});
    EXPECT_NE(ends, std::pair(0, 1));
    const bool own = ends == std::pair(1, 2);
    slow += own ? 1 : 0;
    EXPECT_EQ(channel.bandwidth, own ? Bandwidth{4'000'000'000} : kLink.bandwidth);
  }
  EXPECT_EQ(slow, 2);
}

TEST(WithFaults, RejectsMissingLinksAndDisconnectedNetworks) {
  const Topology mesh = make_mesh(std::vector{3}, std::vector{kLink});
  const std::vector<std::pair<NodeId, NodeId>> none{{0, 2}};
  EXPECT_THAT([&] { with_faults(mesh, none, {}); },
              testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("no link between nodes 0 and 2")));
  const std::vector<std::pair<NodeId, NodeId>> only{{0, 1}};
  EXPECT_THROW(with_faults(mesh, only, {}), UnsupportedError);
}

}  // namespace
}  // namespace coppice::topology
