#pragma once

#include <algorithm>
#include <vector>

#include "schedule/compile/compiler.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The length of each timestep, which is determined by the slowest message of the step. A port that has
// nothing to send in a step makes its lockstep wait with a nop. The hardware counts the length of a nop at
// the port's own pace: the bandwidth of the slowest channel on the port's routes.
class StepLengths {
 public:
  // Adds a message of `step` (counted from 1). `pace` is the bandwidth of the slowest channel on its route.
  void add(int step, Bytes bytes, Bandwidth pace);

  // Whether `step` has a message.
  bool busy(int step) const { return length(step).bytes > 0; }

  // The lengths in bytes of a port's nops, in the order of their steps. A nop lasts as long as its step if it
  // is sent at `pace`, the bandwidth of the port's slowest channel. Lengths are rounded to whole flits such
  // that rounding errors do not accumulate.
  class Nops {
   public:
    Nops(const StepLengths& lengths, Bandwidth pace, const CompileRequest& request)
        : lengths_(&lengths), pace_(pace), unit_(std::max(request.timing.flit, request.element)) {}
    Bytes next(int step);

   private:
    const StepLengths* lengths_;
    Bandwidth pace_;
    Bytes unit_;
    double owed_ = 0;  // bytes by which the nops so far were too short, because of rounding
  };

 private:
  struct Length {
    Bytes bytes = 0;
    Bandwidth pace;
  };
  Length length(int step) const {
    const auto s = static_cast<std::size_t>(step);
    return s < lengths_.size() ? lengths_[s] : Length{};
  }

  std::vector<Length> lengths_;
};

}  // namespace coppice::schedule
