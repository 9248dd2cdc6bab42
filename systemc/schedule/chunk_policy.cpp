#include "schedule/chunk_policy.h"

namespace coppice::schedule {

std::optional<ChunkPolicy> chunk_policy(const std::string& algorithm) {
  using enum ChunkScheduler;
  using enum IntraDimension;
  if (algorithm == "hierarchical") return ChunkPolicy{kBaseline, kFifo};
  if (algorithm == "themis_fifo") return ChunkPolicy{kThemis, kFifo};
  if (algorithm == "themis") return ChunkPolicy{kThemis, kSmallestChunkFirst};
  if (algorithm == "themis_plus") return ChunkPolicy{kThemisPlus, kSmallestChunkFirst};
  return std::nullopt;
}

}  // namespace coppice::schedule
