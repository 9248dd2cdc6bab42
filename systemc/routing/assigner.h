#pragma once

#include <span>

#include "routing/instance.h"

namespace coppice::routing {

// A method that gives every flow its spine. One final class per method, one file each.
class PathAssigner {
 public:
  virtual ~PathAssigner() = default;
  // Throws UnroutableError if a flow has no live path.
  virtual Assignment assign(const ClosLinks& links, std::span<const Flow> flows) = 0;
};

// In which order the greedy method takes the flows: as they are, job by job; by ToR, the busiest end first;
// at random.
enum class GreedyOrder { kJob, kTor, kRandom };

const char* to_string(GreedyOrder order);

// Which annealing: Hedera's with a cost of squared loads that cools to the end, or as the published study
// ran it.
enum class AnnealingKind { kHedera, kPublished };

const char* to_string(AnnealingKind kind);

}  // namespace coppice::routing
