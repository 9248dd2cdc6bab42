#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace coppice::ni {

// Delays a port's next timestep by the estimated serialization time of the current one, so that ports that
// never exchange messages stay in lockstep (MultiTree, NI lockstep).
//
// A step that is loaded in cycle c nominally occupies the link from c, or from the nominal end of the
// previous step if that is later, for the time of its chunk at the injection rate. The next entry may issue
// at the nominal end minus the cycles that the NI buffer absorbs: its data then waits in the buffer behind
// the current step's data instead of overtaking the lockstep. In hardware, this is a down-counter; here, it
// is the cycle in which the counter reaches zero.
class LockstepCounter {
 public:
  // Starts a step in cycle `now` with an estimated `duration` in cycles; the last `absorbed` of them do not
  // delay the next step.
  void load(Cycles now, Cycles duration, Cycles absorbed) {
    nominal_end_ = std::max(now, nominal_end_) + duration;
    release_ = nominal_end_ - absorbed;
  }
  // The first cycle in which the next step may start.
  Cycles release() const { return release_; }
  // The value of the hardware's counter in cycle `now`.
  Cycles value(Cycles now) const { return std::max<Cycles>(0, release_ - now); }

 private:
  Cycles nominal_end_ = 0;
  Cycles release_ = 0;
};

// The number of flits of a chunk that the NI buffer absorbs: 0 if the chunk fits (the estimate is then
// exact), otherwise the buffer's size.
inline std::int64_t absorbed_flits(std::int64_t flits, int buffer) {
  return flits <= buffer ? 0 : buffer;
}

}  // namespace coppice::ni
