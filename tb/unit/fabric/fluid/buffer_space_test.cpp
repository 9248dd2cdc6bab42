#include "fabric/fluid/buffer_space.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;

const auto kAny = [](std::size_t) { return 1e9; };

TEST(BufferSpace, ReservesFromTheChannelThatHoldsBackUpTheRoute) {
  BufferSpace space({100, 50, 30, 70});
  const std::vector<std::int32_t> links{0, 1, 2, 3};
  std::vector<double> held;
  EXPECT_EQ(space.reserve(links, 3, 60, kAny, held), 60);
  EXPECT_THAT(held, ElementsAre(0, 30, 30, 0));
  EXPECT_EQ(space.free(1), 20);
  EXPECT_EQ(space.free(2), 0);
  // A second, larger request includes the space that the first one reserved.
  EXPECT_EQ(space.reserve(links, 3, 300, kAny, held), 180);
  EXPECT_EQ(space.free(0), 0);
}

TEST(BufferSpace, AMessageUsesAtMostItsShareOfABuffer) {
  BufferSpace space({100, 100, 100});
  const std::vector<std::int32_t> links{0, 1, 2};
  std::vector<double> first;
  std::vector<double> second;
  const auto most = [](std::size_t i) { return i == 1 ? 40.0 : 80.0; };
  EXPECT_EQ(space.reserve(links, 2, 1000, most, first), 120);
  EXPECT_EQ(space.reserve(links, 2, 1000, most, second), 60);
  EXPECT_THAT(second, ElementsAre(20, 40, 0));
}

// The last link of a route is an ejection channel, which has no buffer behind it.
TEST(BufferSpace, IgnoresLinksWithoutABuffer) {
  BufferSpace space({100, 100});
  const std::vector<std::int32_t> links{0, 1, 1'000'000'000};
  std::vector<double> held;
  EXPECT_EQ(space.reserve(links, 2, 150, kAny, held), 150);
  space.trim(links, 2, 70, held);
  space.release(links, held);
  EXPECT_EQ(space.free(0), 100);
  EXPECT_EQ(space.free(1), 100);
}

TEST(BufferSpace, TrimKeepsTheNearestSpace) {
  BufferSpace space({100, 100, 100});
  const std::vector<std::int32_t> links{0, 1, 2};
  std::vector<double> held;
  space.reserve(links, 2, 150, kAny, held);
  space.trim(links, 2, 70, held);
  EXPECT_THAT(held, ElementsAre(0, 70, 0));
  EXPECT_EQ(space.free(0), 100);
  space.release(links, held);
  EXPECT_EQ(space.free(1), 100);
}

// After any reservations and trims, no buffer is overfull, and held and free space add up to the capacity.
RC_GTEST_PROP(BufferSpace, SpaceIsNeitherLostNorCreated, ()) {
  BufferSpace space(std::vector<double>(6, 64));
  struct Message {
    std::vector<std::int32_t> links;
    std::vector<double> held;
  };
  std::vector<Message> messages(5);
  for (Message& message : messages) {
    const int first = *rc::gen::inRange(0, 6);
    const int stride = *rc::gen::element(1, 5);
    for (int i = *rc::gen::inRange(0, 7); i-- > 0;) message.links.push_back((first + i * stride) % 6);
  }
  for (int step = *rc::gen::inRange(1, 40); step-- > 0;) {
    Message& message = messages[static_cast<std::size_t>(*rc::gen::inRange(0, 5))];
    const auto end = *rc::gen::inRange<std::size_t>(0, message.links.size() + 1);
    const double bytes = *rc::gen::inRange(0, 200);
    if (*rc::gen::arbitrary<bool>()) {
      space.reserve(message.links, end, bytes, kAny, message.held);
    } else {
      space.trim(message.links, end, bytes, message.held);
    }
    for (std::int32_t link = 0; link < 6; ++link) {
      double held = 0;
      for (const Message& each : messages) {
        for (std::size_t i = 0; i < each.held.size(); ++i) held += each.links[i] == link ? each.held[i] : 0;
      }
      RC_ASSERT(space.free(link) >= 0);
      RC_ASSERT(held + space.free(link) == 64);
    }
  }
}

}  // namespace
}  // namespace coppice::fabric
