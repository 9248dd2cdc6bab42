#pragma once

#include <optional>
#include <string>

namespace coppice::schedule {

// Who decides the chunks' ways through the dimensions of a hierarchy (schedule/themis.h, themis_plus.h).
enum class ChunkScheduler { kBaseline, kThemis, kThemisPlus };

// Which of the operations that wait for a dimension goes first (Themis, Sec. 4.3).
enum class IntraDimension { kFifo, kSmallestChunkFirst };

// How chunks move through a hierarchy (Themis, Table 3).
struct ChunkPolicy {
  ChunkScheduler scheduler = ChunkScheduler::kBaseline;
  IntraDimension intra_dimension = IntraDimension::kFifo;
};

// The policy of a compiler's name: "hierarchical", "themis_fifo", "themis" (the smallest chunk first) or
// "themis_plus"; none for other compilers.
std::optional<ChunkPolicy> chunk_policy(const std::string& algorithm);

}  // namespace coppice::schedule
