#pragma once

#include <span>
#include <vector>

#include "schedule/proof/replay.h"

namespace coppice::schedule {

// Proves the data of a replayed schedule right: no contribution lost or added twice, every owed value final
// where it is owed, and the same under every timing that the dependencies allow. Returns the additions per
// flow (CheckReport::additions). `messages` as replay() leaves them, in any order. Throws ScheduleError.
std::vector<int> prove_data(const Schedule& schedule, std::span<const Message> messages);

// The same for one flow, whose data no other flow touches; `messages` are all its messages, by round. Returns
// its additions.
int prove_flow(const Schedule& schedule, std::span<const Message> messages);

}  // namespace coppice::schedule
