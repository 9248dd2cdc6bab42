#pragma once

#include "ni/issue/dependency_tracker.h"
#include "ni/issue/lockstep_counter.h"
#include "ni/issue/schedule_table.h"
#include "ni/issue/timestep_counter.h"

namespace coppice::ni {

// The decision of a port's decoder about the head of its table, that is, the next entry.
enum class DecoderState : std::uint8_t {
  kDone,            // the table has no more entries
  kWaitLockstep,    // the step of the entry must not start before LockstepCounter::release()
  kWaitDependency,  // some arrivals of the entry's flow are missing
  kWaitQueue,       // the packetizer has no slot for another message
  kIssue,           // the entry issues in this cycle
  kNop,             // the nop holds the lockstep from this cycle on
  kPass,            // a line of a folded table is skipped in this cycle
};

const char* to_string(DecoderState state);

// Decides, as combinational logic, what happens to the head of a port's table in this cycle. The hardware
// checks the conditions in this order: a line to skip, lockstep, dependency, queue.
DecoderState decode(const TableEntry* head, bool passes, bool lockstep,
                    const LockstepCounter& lockstep_counter, const DependencyTracker& tracker,
                    bool queue_has_place, Cycles now);

}  // namespace coppice::ni
