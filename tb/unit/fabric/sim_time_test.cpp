#include "fabric/sim_time.h"

#include <gtest/gtest.h>

namespace coppice::fabric {
namespace {

TEST(SimTime, IsExactToTheFemtosecond) {
  set_time_resolution();
  EXPECT_EQ(to_sc_time(1), sc_core::sc_time(1, sc_core::SC_FS));
  EXPECT_EQ(to_sc_time(kFemtosecondsPerSecond), sc_core::sc_time(1, sc_core::SC_SEC));
  sc_core::sc_start(to_sc_time(7 * 666'667));
  EXPECT_EQ(current_cycle(666'667), 7);
  EXPECT_EQ(current_cycle(666'668), 6);
}

// Two systems in one process may both set the time resolution.
TEST(SimTime, MayBeSetTwice) {
  set_time_resolution();
  const sc_core::sc_time time = to_sc_time(5);
  EXPECT_NO_THROW(set_time_resolution());
  EXPECT_EQ(time, sc_core::sc_time(5, sc_core::SC_FS));
}

}  // namespace
}  // namespace coppice::fabric
