#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// The best assignment in polynomial time, from scratch or from an existing one.
//
// If all ToRs have the same live spines (whichever spines failed), the result is exact, and stronger than a
// least maximum: no link of a ToR carries more than ceil(flows of the ToR / live spines), the least possible
// at that ToR (SpineBalancer).
//
// If live spines differ between ToRs (links failed), deciding whether a load is possible is NP-complete
// (timetables with unavailable hours, Even, Itai and Shamir 1976). The load is therefore raised from
// lower_bound() until an assignment is found by alternating paths, with the flows in one of a few orders, or,
// for up to 256 flows, by a search of bounded length (exact_search.h). The result never exceeds that of the
// greedy method; it is exact if it equals lower_bound() or the search has excluded all lower loads, which
// `proven` reports. Measured (optimal_test.cpp): random rings on the paper's network with 1 to 512 of 2,048
// links dead always reach the bound; small networks with up to half of their links dead never exceed the
// integer program; flows that need every live link of a network end at most one above the optimum.
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
  std::size_t moved = 0;  // flows whose spine changed from an existing one
  // A lower bound on the number of moves for these loads: the number of flows whose spine is dead, plus the
  // number of flows above the caps of the uplinks or above those of the downlinks, whichever is larger.
  std::size_t least_moves = 0;
  int max_load = 0;
  bool proven = false;  // no assignment has a smaller max_load
};

// Makes room for new flows, and spreads the remaining ones after flows have left or links have failed or
// recovered, with few moves: flows stay where they are unless their link is above its cap, and new ones
// displace others only along alternating paths. `previous[i]` is the spine of flow i so far, kNoSpine if it
// is new. The result is as good as Optimal's.
Reassignment reassign(const ClosLinks& links, std::span<const Flow> flows, std::span<const int> previous);

}  // namespace coppice::routing
