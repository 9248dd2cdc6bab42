#include <deque>

#include <gtest/gtest.h>

#include "Vfifo.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

TEST(Fifo, IsAQueueUnderAnyMixOfPushesPopsAndResets) {
  constexpr std::size_t kDepth = 16;
  Clocked<Vfifo> fifo;
  Stimulus random(1);
  std::deque<std::uint32_t> model;
  std::uint32_t push_share = 50;
  for (int cycle = 0; cycle < 50'000; ++cycle) {
    if (cycle % 100 == 0) push_share = random.below(101);  // makes the FIFO full or empty frequently
    fifo->push_i = random.percent(push_share);
    fifo->pop_i = random.percent(100 - push_share);
    fifo->data_i[0] = random.word();
    fifo.settle();
    ASSERT_EQ(fifo->empty_o, model.empty());
    ASSERT_EQ(fifo->full_o, model.size() == kDepth);
    ASSERT_EQ(fifo->count_o, model.size());
    if (!model.empty()) {
      ASSERT_EQ(fifo->data_o[0], model.front());
    }
    if (random.one_in(500)) {
      fifo.reset();
      model.clear();
      continue;
    }
    const bool pops = fifo->pop_i && !model.empty();
    const bool pushes = fifo->push_i && (model.size() < kDepth || pops);
    if (pops) model.pop_front();
    if (pushes) model.push_back(fifo->data_i[0]);
    fifo.tick();
  }
}

}  // namespace
}  // namespace coppice::cosim
