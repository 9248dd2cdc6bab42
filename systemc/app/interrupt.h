#pragma once

#include <atomic>

namespace coppice::app {

inline constexpr int kInterruptedStatus = 130;

// Makes the first Ctrl-C (SIGINT) or SIGTERM set the returned flag, for code that polls the flag and cleans
// up. If the process is still running one second later, or receives a second signal, it removes its
// unfinished output files and ends like end_as_interrupted(). Processes that were forked from it end without
// a message and do not touch its files.
const std::atomic<bool>& catch_interrupts();

// Turns a full disk into an error of the call that writes the file, instead of a signal. Memory-mapped files,
// such as waveforms of Verilated models, are written without a call; for these, the process prints a message,
// removes the unfinished output files, and exits with status 1.
void report_full_disks();

// Ends an interrupted command after its cleanup. After Ctrl-C, the exit status is kInterruptedStatus; after
// SIGTERM, the process ends by the signal itself, which shells report as 143.
[[noreturn]] void end_as_interrupted();

// Registers an unfinished output file, which is removed if a signal ends the process. Paths that are too long
// are ignored, and so are all paths after the first few.
void remove_when_ended(const char* path);

}  // namespace coppice::app
