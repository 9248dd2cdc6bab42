#pragma once

#include <optional>
#include <vector>

#include "schedule/tables/dimension_method.h"

namespace coppice::schedule {

// Who decides the chunks' ways through the dimensions of a hierarchy (schedule/hierarchical/themis.h,
// themis_plus.h).
enum class ChunkScheduler { kBaseline, kThemis, kThemisPlus };
const char* to_string(ChunkScheduler scheduler);

// Which of the operations that wait for a dimension goes first (Themis, Sec. 4.3).
enum class IntraDimension { kFifo, kSmallestChunkFirst, kLeastToSendFirst };
const char* to_string(IntraDimension policy);

// As the paper runs a scheduler (Themis, Table 3 and Sec. 4.3): the baseline first come, first served, Themis
// the smallest chunk first. themis_plus.h has its own policy.
IntraDimension usual_policy(ChunkScheduler scheduler);

// How chunks move through a hierarchy (Themis, Table 3).
struct ChunkPolicy {
  ChunkScheduler scheduler = ChunkScheduler::kBaseline;
  std::optional<IntraDimension> intra_dimension = std::nullopt;  // none: the scheduler's choice
  std::vector<DimensionMethod> methods{};  // of every dimension; empty: what its network suits
  bool operator==(const ChunkPolicy&) const = default;
};

}  // namespace coppice::schedule
