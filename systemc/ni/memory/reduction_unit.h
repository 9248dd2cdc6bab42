#pragma once

#include "base/units.h"
#include "ni/memory/gradient_memory.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

// Adds arriving partial sums to the gradient buffer and stores arriving final values. It accepts flits as
// fast as the ejection channel delivers them (at `system.ni.reduction_flits_per_cycle`), so a message is
// complete one pipeline latency after its tail. Stores bypass the adders.
class ReductionUnit {
 public:
  static constexpr Cycles kStoreLatency = 1;

  explicit ReductionUnit(Cycles reduction_latency) : reduction_latency_(reduction_latency) {}

  // The cycle in which a message is in memory if its tail was ejected in cycle `tail_ejected`.
  Cycles completion(schedule::Op op, Cycles tail_ejected) const {
    return tail_ejected + (op == schedule::Op::kReduce ? reduction_latency_ : kStoreLatency);
  }

  static void apply(const schedule::TableEntry& entry, const Payload& payload, GradientMemory& memory) {
    if (entry.op == schedule::Op::kReduce) {
      memory.reduce(entry.address, entry.bytes, payload);
    } else {
      memory.store(entry.address, entry.bytes, payload);
    }
  }

 private:
  Cycles reduction_latency_;
};

}  // namespace coppice::ni
