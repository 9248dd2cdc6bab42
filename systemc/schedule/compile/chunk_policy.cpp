#include "schedule/compile/chunk_policy.h"

namespace coppice::schedule {

const char* to_string(ChunkScheduler scheduler) {
  switch (scheduler) {
    case ChunkScheduler::kBaseline:
      return "baseline";
    case ChunkScheduler::kThemis:
      return "themis";
    case ChunkScheduler::kThemisPlus:
      return "themis_plus";
  }
  return "?";
}

const char* to_string(IntraDimension policy) {
  switch (policy) {
    case IntraDimension::kFifo:
      return "fifo";
    case IntraDimension::kSmallestChunkFirst:
      return "scf";
    case IntraDimension::kLeastToSendFirst:
      return "least";
  }
  return "?";
}

IntraDimension usual_policy(ChunkScheduler scheduler) {
  switch (scheduler) {
    case ChunkScheduler::kBaseline:
      return IntraDimension::kFifo;
    case ChunkScheduler::kThemis:
      return IntraDimension::kSmallestChunkFirst;
    case ChunkScheduler::kThemisPlus:
      break;
  }
  return IntraDimension::kLeastToSendFirst;
}

}  // namespace coppice::schedule
