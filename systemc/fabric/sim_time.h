#pragma once

#include <systemc>

#include "base/units.h"

namespace coppice::fabric {

// Converts simulated time to SystemC time. The kernel's resolution must be one femtosecond
// (set_time_resolution()), so that every period is exact.
inline sc_core::sc_time to_sc_time(Femtoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time));
}

// Call this before the first module of a process is constructed; calling it again is allowed. Throws
// sc_report if the resolution has been set differently.
inline void set_time_resolution() {
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    if (sc_core::sc_time::from_value(1) != sc_core::sc_time(1, sc_core::SC_FS)) throw;
  }
}

// The current time in whole periods of a clock.
inline Cycles current_cycle(Femtoseconds period) {
  return static_cast<Cycles>(sc_core::sc_time_stamp().value()) / period;
}

}  // namespace coppice::fabric
