#pragma once

#include <optional>

#include "schedule/proof/check_report.h"
#include "schedule/tables/program_tables.h"

namespace coppice::schedule {

// The proof of check_schedule() for ProgramTables. Dependencies and shared channels look the same from every
// accelerator, so checking the origin's messages is enough. The data of all chunks with the same program
// moves in the same way, whatever the sizes of the pieces, so it is followed once per program, piece by
// piece.

// The tables of all accelerators if every accelerator's messages are images of the origin's messages, over
// paths with the same ports, bandwidths and latencies. Otherwise returns nullptr, and each table needs its
// own proof.
const ProgramTables* alike_programs(const topology::Topology& topology, const Schedule& schedule);

// `tables` come from alike_programs(). Returns nullopt if the proof does not apply or fails; the general
// proof then finds the reason. Throws ScheduleError as check_schedule() does.
std::optional<CheckReport> check_programs(const topology::Topology& topology, const Schedule& schedule,
                                          const ProgramTables& tables);

// The maximum number of additions that a contribution to a chunk of the program undergoes. Returns nullopt
// unless the following argument shows that the result is correct. Every message waits for the arrivals of all
// earlier steps. Every accelerator sends its sum of a piece once, to an accelerator that is still adding to
// its own sum, and after the send nothing of that piece arrives before the final value. Sums therefore move
// along a tree to the accelerator that receives all of them, and the final value moves back from there.
// Messages thus order all accesses to a piece at an accelerator. If moves_map_pieces() is true, following the
// pieces of the origin's share is enough, as the other pieces are their images.
std::optional<int> prove_program(const ChunkProgram& program, const Translations& moves,
                                 Collective collective);

// Whether `moves` map the exchanges of every step to themselves, and the pieces of a share to those of
// another share, in the same order: an accelerator sends the image of a piece to the image of its destination
// if and only if the origin sends the piece to this destination. Which of a step's messages carries the piece
// may differ.
bool moves_map_pieces(const ChunkProgram& program, const Translations& moves);

}  // namespace coppice::schedule
