#pragma once

#include "ni/issue/dependency_tracker.h"
#include "ni/issue/lockstep_counter.h"
#include "ni/issue/schedule_table.h"
#include "ni/issue/timestep_counter.h"

namespace coppice::ni {

// The decision of a port's decoder about the entry at the head of its table.
enum class DecoderState : std::uint8_t {
  kDone,            // the table is empty
  kWaitLockstep,    // the entry's step must not start before LockstepCounter::release()
  kWaitDependency,  // arrivals of its flow are missing
  kWaitQueue,       // the packetizer has no slot for another message
  kIssue,           // the entry issues in this cycle
  kNop,             // the nop holds the lockstep from this cycle on
  kPass,            // a line of a folded table is skipped in this cycle
};

const char* to_string(DecoderState state);

// Decides, combinationally, what happens to the head of a port's table in this cycle. The hardware checks the
// conditions in this order: a line to skip, lockstep, dependency, queue.
DecoderState decode(const TableEntry* head, bool passes, bool lockstep,
                    const LockstepCounter& lockstep_counter, const DependencyTracker& tracker,
                    bool queue_has_place, Cycles now);

}  // namespace coppice::ni
