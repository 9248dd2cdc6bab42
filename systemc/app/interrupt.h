#pragma once

#include <atomic>

namespace coppice::app {

inline constexpr int kInterruptedStatus = 130;

// Makes the first Ctrl-C (SIGINT) or SIGTERM set the returned flag, for code that polls it and cleans up. A
// process that still runs one second later, or receives a second signal, removes its unfinished output files
// and terminates like end_as_interrupted(). Processes forked from it terminate silently and do not touch its
// files.
const std::atomic<bool>& catch_interrupts();

// Makes a full disk an error of the call that writes the file instead of a signal. For memory-mapped files,
// such as waveforms of Verilated models, there is no such call: the process prints a message, removes the
// unfinished output files, and exits with status 1.
void report_full_disks();

// Ends an interrupted command after cleanup: exits with kInterruptedStatus after Ctrl-C, and by the signal
// itself after SIGTERM, which shells report as 143.
[[noreturn]] void end_as_interrupted();

// Registers an unfinished output at `path`, to be removed if the process is terminated. Ignores paths that
// are too long, and all but the first few paths.
void remove_when_ended(const char* path);

}  // namespace coppice::app
