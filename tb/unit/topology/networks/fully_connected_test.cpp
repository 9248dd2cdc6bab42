#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(FullyConnected, HasAChannelToEveryOther) {
  const Topology topology = sample(Kind::kFullyConnected, {4});
  EXPECT_THAT(neighbours(topology, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(neighbours(topology, 2), ElementsAre(0, 1, 3));
  EXPECT_EQ(topology.num_switches(), 0);
  EXPECT_THAT(sample(Kind::kFullyConnected, {1}).channels(), IsEmpty());
}

TEST(FullyConnected, IsLimitedByOneChannelPerShare) {
  const CutBound cut = worst_cut(sample(Kind::kFullyConnected, {8}));
  EXPECT_EQ(cut.bytes_per_second, cut.data * kSampleLink.bandwidth.bytes_per_second);
}

TEST(FullyConnected, RefusesOtherDims) {
  EXPECT_THAT([] { sample(Kind::kFullyConnected, {}); },
              ThrowsMessage<UnsupportedError>(HasSubstr("needs dims [n], not []")));
  EXPECT_THAT([] { sample(Kind::kFullyConnected, {-3}); },
              ThrowsMessage<UnsupportedError>(HasSubstr("-3 accelerators")));
  EXPECT_THAT([] { sample(Kind::kFullyConnected, {100000}); },
              ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
}

}  // namespace
}  // namespace coppice::topology
