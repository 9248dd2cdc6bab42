#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace coppice::ni {

// Delays a port's next timestep by the estimated serialization time of the current one, so that ports that
// never exchange messages stay in step (MultiTree, NI lockstep).
//
// A step that is loaded at cycle c nominally occupies the link from c, or from the nominal end of the
// previous step if that is later, for as many cycles as the chunk takes at its injection rate. The next entry
// may issue once the nominal end is reached, minus the cycles that the NI buffer absorbs: its data then waits
// behind the current step's in the buffer instead of starting early. In hardware this is a down-counter; here
// it is the cycle at which the counter reaches zero.
class LockstepCounter {
 public:
  // Starts a step at `now` that takes an estimated `duration` cycles; the last `absorbed` of them do not
  // delay the next step.
  void load(Cycles now, Cycles duration, Cycles absorbed) {
    nominal_end_ = std::max(now, nominal_end_) + duration;
    release_ = nominal_end_ - absorbed;
  }
  // The first cycle at which the next step may start.
  Cycles release() const { return release_; }
  // The value of the hardware's counter.
  Cycles value(Cycles now) const { return std::max<Cycles>(0, release_ - now); }

 private:
  Cycles nominal_end_ = 0;
  Cycles release_ = 0;
};

// The part of a chunk of `flits` that the NI buffer absorbs: nothing if the chunk fits (the estimate is then
// exact), otherwise the whole buffer.
inline std::int64_t absorbed_flits(std::int64_t flits, int buffer) {
  return flits <= buffer ? 0 : buffer;
}

}  // namespace coppice::ni
