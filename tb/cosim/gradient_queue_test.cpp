#include "ni/issue/gradient_queue.h"

#include <gtest/gtest.h>

#include "Vgradient_queue.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

TEST(GradientQueue, ReleasesLayersInTheModelsCycles) {
  Clocked<Vgradient_queue> queue;
  Stimulus random(23);
  for (int iteration = 0; iteration < 300; ++iteration) {
    const std::uint32_t layers = random.below(65);
    std::vector<std::int64_t> chunks;
    std::uint32_t total = 0;
    queue->enqueue_i = 0;
    queue->taken_i = 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      total += random.below(4);  // several layers may end in the same chunk
      chunks.push_back(total);
      queue->load_valid_i = 1;
      queue->load_layer_i = layer;
      queue->load_chunks_i = total;
      queue.tick();
    }
    queue->load_valid_i = 0;
    queue->start_i = 1;
    queue->layers_i = layers;
    queue.tick();
    queue->start_i = 0;
    ni::GradientQueue model(chunks);
    std::uint32_t sent = 0;
    for (int cycle = 0; cycle < 600; ++cycle) {
      queue->enqueue_i = sent < total && random.percent(40);
      queue->taken_i = random.percent(50);
      queue.settle();
      ASSERT_EQ(queue->release_o, model.released());
      ASSERT_EQ(queue->done_o, model.done());
      if (!model.done()) {
        ASSERT_EQ(queue->layer_o, model.layer());
      }
      const bool take = queue->taken_i && model.released();
      queue.tick();
      if (queue->enqueue_i) {
        ++sent;
        model.enqueue();
      }
      if (take) model.take();
      if (random.one_in(2000)) break;  // starts a new iteration before the current one ends
    }
    if (random.one_in(10)) {
      queue.reset();
      queue.settle();
      ASSERT_EQ(queue->release_o, 0);
    }
  }
}

// Tests the largest number of chunks that the counters can hold.
TEST(GradientQueue, CountsAThousandChunks) {
  constexpr std::uint32_t kChunks = 1023;
  Clocked<Vgradient_queue> queue;
  queue->enqueue_i = 0;
  queue->taken_i = 0;
  queue->start_i = 0;
  queue->load_valid_i = 1;
  queue->load_layer_i = 0;
  queue->load_chunks_i = kChunks;
  queue.tick();
  queue->load_valid_i = 0;
  queue->start_i = 1;
  queue->layers_i = 1;
  queue.tick();
  queue->start_i = 0;
  queue->enqueue_i = 1;
  for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    queue.settle();
    ASSERT_EQ(queue->release_o, 0) << "after " << chunk << " chunks";
    queue.tick();
  }
  queue->enqueue_i = 0;
  queue.settle();
  EXPECT_EQ(queue->release_o, 1);
}

}  // namespace
}  // namespace coppice::cosim
