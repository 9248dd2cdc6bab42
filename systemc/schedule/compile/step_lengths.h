#pragma once

#include <algorithm>
#include <vector>

#include "schedule/compile/compiler.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The length of each timestep, determined by its slowest message. A port with nothing to send in a step holds
// its lockstep with a nop. The hardware counts a nop's length at the port's own pace: the bandwidth of the
// slowest channel on the port's routes.
class StepLengths {
 public:
  // Adds a message of `step` (counted from 1); `pace`: bandwidth of its route's slowest channel.
  void add(int step, Bytes bytes, Bandwidth pace);

  // Whether `step` has a message.
  bool busy(int step) const { return length(step).bytes > 0; }

  // The bytes of the nops of a port whose slowest channel has bandwidth `pace`, in the order of their steps:
  // the length of the step at that pace, rounded to whole flits so that rounding errors do not add up.
  class Nops {
   public:
    Nops(const StepLengths& lengths, Bandwidth pace, const CompileRequest& request)
        : lengths_(&lengths), pace_(pace), unit_(std::max(request.timing.flit, request.element)) {}
    Bytes next(int step);

   private:
    const StepLengths* lengths_;
    Bandwidth pace_;
    Bytes unit_;
    double owed_ = 0;  // bytes by which earlier nops were too short
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
