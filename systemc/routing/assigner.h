#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

struct AssignerOptions {
  std::uint64_t seed = 1;  // of hashes, random orders and annealing moves
  GreedyOrder order = GreedyOrder::kJob;
  int threads = 1;  // of the greedy method, over connected components
  AnnealingKind annealing = AnnealingKind::kHedera;
  double ilp_seconds = 10;  // the exact method gives up after
};

// The method of that name; nullptr if there is none.
std::unique_ptr<PathAssigner> make_assigner(const std::string& method, const AssignerOptions& options = {});

struct MethodInfo {
  std::string name;
  std::string summary;
};
std::span<const MethodInfo> methods();

}  // namespace coppice::routing
