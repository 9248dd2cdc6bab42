#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// How many pieces a tree's share may have: 1, 2, 3, 4, 5, 6, 7, 8, 10, ... as far as every piece has an
// element and there are not too many messages to order. Of CompileRequest::chunks, that number alone. Throws
// UnsupportedError if that leaves pieces without an element.
std::vector<int> piece_counts(const CompileRequest& request, int accelerators, int trees);

// The number of pieces and their order of the least finish, tried near `pieces` if they are free to choose.
// Where pieces are many, some are tried and the others follow at the pipeline's pace. Few are tried where
// even the best of them will hardly be done by `limit`.
struct PieceChoice {
  PieceOrder order;
  Femtoseconds finish = 0;
  bool periodic = false;  // by PieceScheduler::schedule_periodic()
};
PieceChoice choose_pieces(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                          int trees, int pieces, int owners, Femtoseconds limit);

// The same for a timetable of one period, if it finishes before `limit`; otherwise an impossible choice.
PieceChoice choose_periodic(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

// The same in pieces that routers' buffers hold, if that is done before `limit`.
PieceChoice choose_buffered(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit);

}  // namespace coppice::schedule
