#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Finds the best assignment in polynomial time, from scratch or from an existing assignment.
//
// If all ToRs have the same live spines (whichever spines failed), the result is exact, and not only its
// maximum load is minimal: no link of a ToR carries more than ceil(flows of the ToR / live spines), the
// minimum possible at that ToR (SpineBalancer).
//
// If live spines differ between ToRs because links failed, deciding whether a load is possible is NP-complete
// (timetables with unavailable hours, Even, Itai and Shamir 1976). The load is therefore raised from
// lower_bound() until an assignment is found. For each load, alternating paths are tried with the flows in a
// few orders. If they fail and there are at most 256 flows, a search of bounded length follows
// (exact_search.h). The result is never worse than that of the greedy method. It is exact if it equals
// lower_bound() or the search has excluded all lower loads; `proven` reports whether this is the case. In
// measurements (optimal_test.cpp), the load always equals the bound for random rings on the paper's network
// with 1 to 512 of 2,048 links dead, never exceeds that of the integer program on small networks with up to
// half of their links dead, and exceeds the optimum by at most one if the flows need every live link of a
// network.
class Optimal final : public PathAssigner {
 public:
  explicit Optimal(std::uint64_t seed) : seed_(seed) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  std::uint64_t seed_;
};

// The result of reassign().
struct Reassignment {
  Assignment spines;
  std::size_t moved = 0;  // number of existing flows whose spine changed
  // A lower bound on the number of moves that these loads require: the number of flows whose spine is dead,
  // plus the number of flows above the caps of uplinks or of downlinks, whichever is larger.
  std::size_t least_moves = 0;
  int max_load = 0;
  bool proven = false;  // whether no assignment has a smaller max_load
};

// Adapts an assignment, with few moves, to flows that have arrived or left and to links that have failed or
// recovered. A flow keeps its spine unless its link is above its cap or an alternating path for another flow
// moves it. `previous[i]` is the previous spine of flow i; kNoSpine if the flow is new. The result is as good
// as that of Optimal.
Reassignment reassign(const ClosLinks& links, std::span<const Flow> flows, std::span<const int> previous);

}  // namespace coppice::routing
