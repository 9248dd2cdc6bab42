#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The candidate numbers of pieces of a tree's share: 1, 2, 3, 4, 5, 6, 7, 8, 10, ... as long as every piece
// has an element and there are not too many messages to order; only CompileRequest::chunks if that is given.
// Throws UnsupportedError if that number leaves pieces without an element.
std::vector<int> piece_counts(const CompileRequest& request, int accelerators, int trees);

// The number of pieces and the order of pieces with the least finish time, tried near `pieces` if the number
// is automatic. For large numbers, a few are simulated and the others extrapolated at the pipeline's pace.
// Few are tried if even the best will hardly finish by `limit`.
struct PieceChoice {
  PieceOrder order;
  Femtoseconds finish = 0;
  bool periodic = false;  // whether PieceScheduler::schedule_periodic() orders it
};
PieceChoice choose_pieces(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                          int trees, int pieces, int owners, Femtoseconds limit);

// The choice for a timetable of one period, if it finishes before `limit`; otherwise an impossible choice.
PieceChoice choose_periodic(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

// The choice for pieces that fit into routers' buffers, if it finishes before `limit`; otherwise an
// impossible choice.
PieceChoice choose_buffered(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

}  // namespace coppice::schedule
