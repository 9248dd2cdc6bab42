#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace coppice::ni {

// Delays a port's next timestep by the estimated serialization time of the current timestep, so that ports
// that never exchange messages stay in lockstep (MultiTree, NI lockstep).
//
// A step that is loaded in cycle c nominally occupies the link from cycle c, or from the nominal end of the
// previous step if that is later. It does so while its chunk is being injected. The next entry may
// issue earlier than the nominal end, by the number of cycles that the NI buffer absorbs. Its data then waits
// in the buffer behind the data of the current step and does not overtake the lockstep. MultiTree describes a
// down-counter; like the Verilog, this model instead stores the cycle in which that counter would reach zero.
class LockstepCounter {
 public:
  // Starts a step in cycle `now` with an estimated `duration` in cycles. The last `absorbed` of these cycles
  // do not delay the next step.
  void load(Cycles now, Cycles duration, Cycles absorbed) {
    nominal_end_ = std::max(now, nominal_end_) + duration;
    release_ = nominal_end_ - absorbed;
  }
  // The first cycle in which the next step may start.
  Cycles release() const { return release_; }
  // The value of the down-counter in cycle `now`.
  Cycles value(Cycles now) const { return std::max<Cycles>(0, release_ - now); }

 private:
  Cycles nominal_end_ = 0;
  Cycles release_ = 0;
};

// The number of a chunk's flits that the NI buffer absorbs. This is 0 if the whole chunk fits, because the
// estimate is then exact; otherwise, it is the size of the buffer.
inline std::int64_t absorbed_flits(std::int64_t flits, int buffer) {
  return flits <= buffer ? 0 : buffer;
}

}  // namespace coppice::ni
