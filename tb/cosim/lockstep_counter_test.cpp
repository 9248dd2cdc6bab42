#include "ni/issue/lockstep_counter.h"

#include <gtest/gtest.h>

#include "Vlockstep_counter.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

TEST(LockstepCounter, ReleasesInTheModelsCycles) {
  Clocked<Vlockstep_counter> counter;
  Stimulus random(4);
  ni::LockstepCounter model;
  Cycles now = 0;
  for (int step = 0; step < 100'000; ++step) {
    const bool hold = now < model.release();
    const std::uint32_t flits = random.below(200) + 1;
    const auto absorbed =
        random.percent(50) ? ni::absorbed_flits(flits, static_cast<int>(random.below(200)) + 1) : 0;
    counter->now_i = static_cast<std::uint32_t>(now);
    counter->load_i = random.percent(hold ? 1 : 40);  // steps are loaded in bursts
    counter->duration_i = flits;
    counter->absorbed_i = static_cast<std::uint32_t>(absorbed);
    counter.settle();
    ASSERT_EQ(counter->hold_o, hold) << "cycle " << now;
    ASSERT_EQ(counter->release_o, static_cast<std::uint32_t>(model.release()));
    ASSERT_EQ(counter->value_o, model.value(now));
    counter.tick();
    if (counter->load_i) model.load(now, flits, absorbed);
    now += random.one_in(50) ? random.below(1000) : 1;  // the clock may be gated for many cycles
    if (random.one_in(5000)) {
      counter.reset();
      model = {};
      now = 0;
    }
  }
}

// The counter compares times modulo 2^32, so steps must also work across an overflow.
TEST(LockstepCounter, HoldsWhenTimeWrapsAround) {
  Clocked<Vlockstep_counter> counter;
  const auto see = [&](std::uint32_t now) {
    counter->now_i = now;
    counter.settle();
    return counter->hold_o != 0;
  };
  for (std::uint32_t now = 0; now < 0xc0000000U;
       now += 0x10000000U) {  // regular steps, as the counter requires
    counter->now_i = now;
    counter->load_i = 1;
    counter->duration_i = 1;
    counter->absorbed_i = 0;
    counter.tick();
    counter.settle();
    EXPECT_EQ(counter->release_o, now + 1);
  }
  counter->now_i = 0xfffffff0U;
  counter->duration_i = 0x20;
  counter.tick();
  counter->load_i = 0;
  EXPECT_TRUE(see(0xfffffff1U));
  EXPECT_TRUE(see(0xffffffffU));
  EXPECT_TRUE(see(0x0fU));
  EXPECT_FALSE(see(0x10U));
  EXPECT_FALSE(see(0x11U));
}

// If a step is loaded before the counter overflows and the previous step ends after the overflow, the step
// begins at this end.
TEST(LockstepCounter, AddsUpStepsWhenTimeWrapsAround) {
  Clocked<Vlockstep_counter> counter;
  const auto load = [&](std::uint32_t now, std::uint32_t duration) {
    counter->now_i = now;
    counter->load_i = 1;
    counter->duration_i = duration;
    counter->absorbed_i = 0;
    counter.tick();
    counter->load_i = 0;
    counter.settle();
  };
  for (std::uint32_t now = 0; now < 0xc0000000U;
       now += 0x10000000U) {  // regular steps, as the counter requires
    // Tests the same sequence across half of the counter's range.
    if (now == 0x80000000U) {
      load(0x7ffffff0U, 0x40);
      load(0x7ffffff1U, 0x40);
      load(0x7ffffff2U, 0x40);
      EXPECT_EQ(counter->release_o, 0x800000b0U);
    }
    load(now, 1);
  }
  load(0xfffffff0U, 0x20);
  EXPECT_EQ(counter->release_o, 0x10U);
  load(0xfffffff8U, 0x20);
  EXPECT_EQ(counter->release_o, 0x30U);
  // If the previous step has already ended, a step begins immediately.
  load(0x40U, 0x20);
  EXPECT_EQ(counter->release_o, 0x60U);
}

}  // namespace
}  // namespace coppice::cosim
