#pragma once

#include <systemc>

#include "base/units.h"

namespace coppice::fabric {

// Converts simulated time to SystemC time. The conversion is exact only if the kernel's time resolution is
// one femtosecond (set_time_resolution()).
inline sc_core::sc_time to_sc_time(Femtoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time));
}

// Sets the kernel's time resolution to one femtosecond. Call this before the first module is constructed;
// repeated calls have no effect. Throws sc_report if another resolution has already been set.
inline void set_time_resolution() {
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    if (sc_core::sc_time::from_value(1) != sc_core::sc_time(1, sc_core::SC_FS)) throw;
  }
}

// The current simulated time in whole periods of a clock.
inline Cycles current_cycle(Femtoseconds period) {
  return static_cast<Cycles>(sc_core::sc_time_stamp().value()) / period;
}

}  // namespace coppice::fabric
