#pragma once

#include <optional>

#include "schedule/proof/check_report.h"
#include "schedule/tables/program_tables.h"

namespace coppice::schedule {

// The proof of check_schedule() for ProgramTables. Dependencies and shared channels look the same from every
// accelerator, so the origin's messages are enough to check them. The data moves in the same way for all
// chunks of a program, whatever their pieces' sizes, and is followed piece by piece.

// The tables of all accelerators, if their messages are images of each other: moves map the messages to
// messages over paths with the same ports, bandwidths and latencies. nullptr: each table needs its own proof.
const ProgramTables* alike_programs(const topology::Topology& topology, const Schedule& schedule);

// `tables` come from alike_programs(). Returns nullopt if the proof does not apply or fails; the general
// proof then finds the reason. Throws ScheduleError as check_schedule() does.
std::optional<CheckReport> check_programs(const topology::Topology& topology, const Schedule& schedule,
                                          const ProgramTables& tables);

// The maximum number of additions that a contribution to a chunk of the program undergoes, or nullopt if the
// following argument does not show that the chunk's result is correct. It requires that a message waits for
// the arrivals of all earlier steps. Every accelerator sends its sum of a piece once, to an accelerator that
// is still adding to its own sum, and nothing of that piece arrives after the send until the final value
// comes. Sums then move along a tree to the accelerator that receives all of them, and the final value moves
// back from there, so all accesses to one piece at one accelerator are ordered by the messages in between.
// If `moves` map the pieces that accelerators exchange in every step, following the pieces of the origin's
// share is enough, as the other pieces are their images.
std::optional<int> prove_program(const ChunkProgram& program, const Translations& moves,
                                 Collective collective);

// Whether `moves` map the exchanges of every step to themselves, and the pieces of a share to those of
// another, in the same order: an accelerator sends the image of a piece to the image of its destination if
// and only if the origin sends the piece to this destination. Which of a step's messages carries the piece
// may differ.
bool moves_map_pieces(const ChunkProgram& program, const Translations& moves);

}  // namespace coppice::schedule
