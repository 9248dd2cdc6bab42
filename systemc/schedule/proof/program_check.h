#pragma once

#include <optional>

#include "schedule/proof/check_report.h"
#include "schedule/tables/program_tables.h"

namespace coppice::schedule {

// The proof of check_schedule() for ProgramTables. What waits for what and what shares a channel is the same
// seen from every accelerator, so that the origin's messages tell it; what happens to the data is the same
// for all chunks of a program, whatever their pieces' sizes, and is followed piece by piece.

// The tables of all accelerators, if their messages are each other's images: they go to images over ways of
// the same ports, bandwidths and latencies. nullptr: prove all of them.
const ProgramTables* alike_programs(const topology::Topology& topology, const Schedule& schedule);

// `tables` from alike_programs(). Nothing if the proof does not apply, or fails: the one message by message
// then tells why. Throws ScheduleError as check_schedule() does.
std::optional<CheckReport> check_programs(const topology::Topology& topology, const Schedule& schedule,
                                          const ProgramTables& tables);

// The additions that a contribution to a chunk of the program passes through at most, if the chunk comes out
// right by this argument, which needs the arrivals of all earlier steps to be what a message waits for:
// every accelerator sends its sum of a piece once, to where the sum is still taking in others, and nothing
// that arrives later than it is sent is of that piece until the final value comes. Sums then run along a tree
// to the accelerator that has all of them, and the final value runs back from there, so that whatever touches
// one piece at one accelerator is ordered by the messages between.
std::optional<int> prove_program(const ChunkProgram& program, Collective collective);

}  // namespace coppice::schedule
