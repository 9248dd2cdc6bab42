#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Switch, ConnectsAllAccelerators) {
  const Topology topology = sample(Kind::kSwitch, {3});
  EXPECT_EQ(topology.num_accelerators(), 3);
  EXPECT_EQ(topology.num_switches(), 1);
  for (NodeId node = 0; node < 3; ++node) EXPECT_THAT(neighbours(topology, node), ElementsAre(3));
  EXPECT_THAT(neighbours(topology, 3), ElementsAre(0, 1, 2));
}

TEST(Switch, IsLimitedByTheOneChannelIntoEachAccelerator) {
  const CutBound cut = worst_cut(sample(Kind::kSwitch, {8}));
  EXPECT_EQ(cut.data, 7);
  EXPECT_EQ(cut.bytes_per_second, kSampleLink.bandwidth.bytes_per_second);
}

TEST(Switch, RefusesMoreLinksThanItHasLevels) {
  EXPECT_THAT([] { make_switch(std::vector{4}, sample_links(2)); },
              ThrowsMessage<UnsupportedError>(HasSubstr("one link specification for all, not 2")));
  EXPECT_THAT(
      [] {
        make_switch(std::vector{4, 4}, sample_links(1));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("needs dims [n]")));
}

}  // namespace
}  // namespace coppice::topology
