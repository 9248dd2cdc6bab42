#pragma once

#include <optional>
#include <vector>

#include "schedule/tables/dimension_method.h"

namespace coppice::schedule {

// The scheduler that chooses the order in which each chunk traverses the dimensions of a hierarchy
// (schedule/hierarchical/themis.h, themis_plus.h).
enum class ChunkScheduler { kBaseline, kThemis, kThemisPlus };
const char* to_string(ChunkScheduler scheduler);

// The rule that selects the next operation among those that wait for a dimension (Themis, Sec. 4.3).
enum class IntraDimension { kFifo, kSmallestChunkFirst, kLeastToSendFirst };
const char* to_string(IntraDimension policy);

// The default policy of a scheduler, as in the paper (Themis, Table 3 and Sec. 4.3): first come, first served
// for the baseline, smallest chunk first for Themis, and least to send first for kThemisPlus.
IntraDimension usual_policy(ChunkScheduler scheduler);

// How chunks move through a hierarchy (Themis, Table 3).
struct ChunkPolicy {
  ChunkScheduler scheduler = ChunkScheduler::kBaseline;
  std::optional<IntraDimension> intra_dimension = std::nullopt;  // nullopt: usual_policy() of the scheduler
  // [dimension]: its algorithm. If empty, each dimension uses the default algorithm of its network.
  std::vector<DimensionMethod> methods{};
  bool operator==(const ChunkPolicy&) const = default;
};

}  // namespace coppice::schedule
