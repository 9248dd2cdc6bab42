#pragma once

#include <atomic>

namespace coppice::app {

inline constexpr int kInterruptedStatus = 130;

// From now on the first Ctrl-C (SIGINT) or SIGTERM sets the returned flag, for code that polls it and cleans
// up. If the process still exists a second later, or at the second signal, it is ended: unfinished output
// files are removed, and it ends as by end_as_interrupted(). Processes forked from it end in silence and
// leave its files alone.
const std::atomic<bool>& catch_interrupts();

// From now on a full disk is reported as an error of the call that writes the file, not as a signal. A
// memory-mapped file (waveforms of Verilated models are) has no such call: the process prints a message,
// removes the unfinished output files, and exits with status 1.
void report_full_disks();

// Ends an interrupted command after cleanup: exits with kInterruptedStatus after Ctrl-C, and by the signal
// itself after SIGTERM, which shells report as 143.
[[noreturn]] void end_as_interrupted();

// Registers an unfinished output at `path`, to be removed if the process is ended. Paths that are too long,
// and more than a few, are ignored.
void remove_when_ended(const char* path);

}  // namespace coppice::app
