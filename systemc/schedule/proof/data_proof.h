#pragma once

#include <span>
#include <vector>

#include "schedule/proof/replay.h"

namespace coppice::schedule {

// Proves that the data of a replayed schedule is correct: no contribution is lost or added twice, every
// accelerator receives the final values that it is owed, and all timings that the dependencies allow give the
// same result. Returns the additions per flow (CheckReport::additions). `messages` come from replay(), in any
// order. Throws ScheduleError if the proof fails.
std::vector<int> prove_data(const Schedule& schedule, std::span<const Message> messages);

// Like prove_data(), for one flow whose data no other flow touches. `messages` are all messages of the flow,
// sorted by round. Returns the additions of the flow.
int prove_flow(const Schedule& schedule, std::span<const Message> messages);

}  // namespace coppice::schedule
