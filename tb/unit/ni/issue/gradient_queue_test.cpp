#include "ni/issue/gradient_queue.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace coppice::ni {
namespace {

// The example of Fig. 8 of C-Cube: layer 1 has one chunk, layer 2 has two, and layer 3 has three.
TEST(GradientQueue, ReleasesALayerWithItsLastChunk) {
  GradientQueue queue({1, 3, 6});
  EXPECT_FALSE(queue.released());
  queue.enqueue();
  EXPECT_TRUE(queue.released());
  queue.take();
  EXPECT_EQ(queue.layer(), 1U);
  queue.enqueue();
  EXPECT_FALSE(queue.released());
  queue.enqueue();
  EXPECT_TRUE(queue.released());
  queue.take();
  for (int chunk = 3; chunk < 6; ++chunk) {
    EXPECT_FALSE(queue.released());
    queue.enqueue();
  }
  EXPECT_TRUE(queue.released());
  queue.take();
  EXPECT_TRUE(queue.done());
  EXPECT_FALSE(queue.released());
}

TEST(GradientQueue, LayersWithoutGradientsDoNotWait) {
  GradientQueue queue({0, 1, 1});
  EXPECT_TRUE(queue.released());
  queue.take();
  EXPECT_FALSE(queue.released());
  queue.enqueue();
  queue.take();
  EXPECT_TRUE(queue.released());
}

// At any time, exactly those layers have been dequeued whose chunks and whose predecessors' chunks have all
// arrived.
RC_GTEST_PROP(GradientQueue, ReleasesExactlyTheCompleteLayers, ()) {
  auto table = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 40));
  std::ranges::sort(table);
  GradientQueue queue(table);
  std::int64_t chunks = 0;
  for (int i = 0; i < 50; ++i) {
    if (*rc::gen::arbitrary<bool>()) {
      queue.enqueue();
      ++chunks;
    }
    if (*rc::gen::arbitrary<bool>()) continue;
    while (queue.released()) queue.take();
    const auto complete = std::ranges::upper_bound(table, chunks) - table.begin();
    RC_ASSERT(static_cast<std::ptrdiff_t>(queue.layer()) == complete);
  }
}

}  // namespace
}  // namespace coppice::ni
