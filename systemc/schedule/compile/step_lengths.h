#pragma once

#include <algorithm>
#include <vector>

#include "schedule/compile/compiler.h"
#include "topology/topology.h"

namespace coppice::schedule {

// How long each timestep lasts: as long as its slowest message. A port that has nothing to send in a step
// holds its lockstep for the whole of it with a nop, whose length the hardware counts at the port's own pace:
// the slowest channel of its routes.
class StepLengths {
 public:
  // A message of `step`, from 1, and the slowest channel of its route.
  void add(int step, Bytes bytes, Bandwidth pace);

  // Whether `step` has a message.
  bool busy(int step) const { return length(step).bytes > 0; }

  // The bytes of nops at a port whose slowest channel has `pace`, in the order of their steps: as long as the
  // step at that pace, in whole flits elsewhere, with rounding errors that do not add up.
  class Nops {
   public:
    Nops(const StepLengths& lengths, Bandwidth pace, const CompileRequest& request)
        : lengths_(&lengths), pace_(pace), unit_(std::max(request.timing.flit, request.element)) {}
    Bytes next(int step);

   private:
    const StepLengths* lengths_;
    Bandwidth pace_;
    Bytes unit_;
    double owed_ = 0;  // bytes that those before it should have had more
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
