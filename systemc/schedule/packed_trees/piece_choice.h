#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The candidate numbers of pieces per tree: 1, 2, 3, 4, 5, 6, 7, 8, 10, ... as long as every piece has an
// element and there are not too many messages to order; only CompileRequest::chunks if it is given. Throws
// UnsupportedError if that number would leave pieces without an element.
std::vector<int> piece_counts(const CompileRequest& request, int accelerators, int trees);

// A number of pieces and their order, with the expected finish.
struct PieceChoice {
  PieceOrder order;
  Femtoseconds finish = 0;
  bool periodic = false;  // ordered by PieceScheduler::schedule_periodic()
};
// The choice that finishes first; if the number of pieces is automatic, numbers near `pieces` are tried. If
// there are many pieces, a few are simulated and the rest extrapolated at the pipeline's pace. No other
// number is tried if the expected one cannot come close to finishing by `limit`.
PieceChoice choose_pieces(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                          int trees, int pieces, int owners, Femtoseconds limit);

// The choice for a timetable of one period; its finish is the maximum of its type if it is not before
// `limit`.
PieceChoice choose_periodic(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

// The choice for pieces that fit into router buffers; its finish is the maximum of its type if it is not
// before `limit`.
PieceChoice choose_buffered(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

}  // namespace coppice::schedule
