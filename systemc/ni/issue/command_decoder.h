#pragma once

#include "ni/issue/dependency_tracker.h"
#include "ni/issue/lockstep_counter.h"
#include "ni/issue/schedule_table.h"
#include "ni/issue/timestep_counter.h"

namespace coppice::ni {

// The answer of a port's decoder to the entry at the head of its table.
enum class DecoderState : std::uint8_t {
  kDone,            // the table is empty
  kWaitLockstep,    // the entry's step may not start before LockstepCounter::release()
  kWaitDependency,  // arrivals of its flow are missing
  kWaitQueue,       // the packetizer has no slot for another message
  kIssue,           // it issues now
  kNop,             // it holds the lockstep now
  kPass,            // it skips a line of a folded table now
};

const char* to_string(DecoderState state);

// Decides, in one cycle and without state, what the head of a port's table may do. The conditions in the
// order of the hardware's priority: a line to skip, lockstep, dependency, queue.
DecoderState decode(const TableEntry* head, bool passes, bool lockstep,
                    const LockstepCounter& lockstep_counter, const DependencyTracker& tracker,
                    bool queue_has_place, Cycles now);

}  // namespace coppice::ni
