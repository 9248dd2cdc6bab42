#include "schedule/compile/link_pool.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(NeighbourLinks, CountParallelLinksSeparately) {
  NeighbourLinks links(dgx1().topology);
  EXPECT_THAT(links.neighbours(0), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(links.degree(0), 6);
  links.take(0, 3);
  EXPECT_TRUE(links.free(3, 0));
  links.take(3, 0);
  EXPECT_FALSE(links.free(0, 3));
  links.release(0, 3);
  EXPECT_TRUE(links.free(0, 3));
  EXPECT_FALSE(links.free(2, 4));
  EXPECT_THROW(links.take(2, 4), ModelError);
  EXPECT_THROW(links.release(0, 1), ModelError);
}

TEST(NeighbourLinks, ClaimsBothDirectionsOfALink) {
  const Machine machine = dgx1();
  NeighbourLinks links(machine.topology);
  const auto first = links.claim(4, 0);
  const auto second = links.claim(0, 4);
  for (const auto& [there, back] : {std::pair{first.there, first.back}, {second.back, second.there}}) {
    EXPECT_EQ(machine.topology.channel(there).src, 4);
    EXPECT_EQ(machine.topology.channel(there).dst, 0);
    EXPECT_EQ(machine.topology.channel(back).src, 0);
    EXPECT_EQ(machine.topology.channel(back).dst, 4);
  }
  EXPECT_NE(first.there, second.back);
  EXPECT_NE(first.back, second.there);
}

TEST(NeighbourLinks, AreBetweenAccelerators) {
  const std::vector<topology::LinkSpec> links{{{1'000'000'000}, 0}};
  EXPECT_THAT([&] { NeighbourLinks(topology::make_switch(std::vector{4}, links)); },
              ThrowsMessage<UnsupportedError>(HasSubstr("has switches")));
}

}  // namespace
}  // namespace coppice::schedule
