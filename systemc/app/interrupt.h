#pragma once

#include <atomic>

namespace coppice::app {

inline constexpr int kInterruptedStatus = 130;

// From now on the first Ctrl-C (or SIGTERM) sets the flag returned, for a run that polls it and cleans up;
// the second ends the process with kInterruptedStatus at once.
const std::atomic<bool>& catch_interrupts();

// From now on Ctrl-C ends the process with kInterruptedStatus: for commands that leave nothing to clean up.
void exit_on_interrupt();

}  // namespace coppice::app
