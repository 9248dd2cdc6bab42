#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The numbers of pieces per tree to try: only CompileRequest::chunks if it is given, otherwise 1, 2, 3, 4, 5,
// 6, 7, 8, 10, ..., as long as every piece has at least one element and there are not too many messages to
// order. Throws UnsupportedError if the data has too few elements for `chunks` pieces per tree.
std::vector<int> piece_counts(const CompileRequest& request, int accelerators, int trees);

// A number of pieces and their order, with the expected finish.
struct PieceChoice {
  PieceOrder order;
  Femtoseconds finish = 0;
  bool periodic = false;  // ordered by PieceScheduler::schedule_periodic()
};
// Chooses the number of pieces that finishes first. If CompileRequest::chunks is automatic, numbers near
// `pieces` are tried. If there are many pieces, only a few are simulated, and every further piece is assumed
// to take one period. No other number is tried if `pieces` pieces cannot come close to finishing by `limit`.
PieceChoice choose_pieces(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                          int trees, int pieces, int owners, Femtoseconds limit);

// The best choice whose messages follow a periodic timetable. If none finishes before `limit`, `finish` is
// the maximum value of its type.
PieceChoice choose_periodic(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

// The best choice whose pieces fit into router buffers. If none finishes before `limit`, `finish` is the
// maximum value of its type.
PieceChoice choose_buffered(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

}  // namespace coppice::schedule
