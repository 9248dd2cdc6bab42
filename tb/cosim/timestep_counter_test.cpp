#include "ni/issue/timestep_counter.h"

#include <gtest/gtest.h>

#include "Vtimestep_counter.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

TEST(TimestepCounter, AdvancesLikeTheModelAndNeverBackwards) {
  Clocked<Vtimestep_counter> counter;
  Stimulus random(3);
  ni::TimestepCounter model;
  for (int cycle = 0; cycle < 50'000; ++cycle) {
    counter->reset_i = random.one_in(200);
    counter->advance_i = random.percent(50);
    counter->step_i = random.one_in(100) ? random.below(65536) : model.value() + random.below(5);
    counter.settle();
    ASSERT_EQ(counter->value_o, model.value());
    if (random.one_in(1000)) {
      counter.reset();
      model.reset();
      continue;
    }
    counter.tick();
    if (counter->reset_i) {
      model.reset();
    } else if (counter->advance_i) {
      model.advance_to(counter->step_i);
    }
  }
}

}  // namespace
}  // namespace coppice::cosim
