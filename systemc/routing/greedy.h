#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Algorithm 1 of the paper: the flows one after another, each over the path whose busiest link carries the
// fewest flows so far, the lowest spine of equals. At most twice the load of the best assignment
// (Theorem 2), whatever the order, where all ToRs have the same live spines.
//
// With several threads, flows are first divided into the connected components of "same source ToR or same
// destination ToR" (Sec. 3.4.3); components share no link, so the result is the same.
class Greedy final : public PathAssigner {
 public:
  Greedy(GreedyOrder order, int threads, std::uint64_t seed)
      : order_(order), threads_(threads), seed_(seed) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  std::vector<std::size_t> ordered(const ClosLinks& links, std::span<const Flow> flows) const;

  GreedyOrder order_;
  int threads_;
  std::uint64_t seed_;
};

// Per flow the number of its component, from 0; -1 for local flows. Sec. 3.4.3.
std::vector<int> components(int tors, std::span<const Flow> flows);

}  // namespace coppice::routing
