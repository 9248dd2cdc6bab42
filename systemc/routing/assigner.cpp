#include "routing/assigner.h"

namespace coppice::routing {

const char* to_string(GreedyOrder order) {
  switch (order) {
    case GreedyOrder::kJob:
      return "job";
    case GreedyOrder::kTor:
      return "tor";
    case GreedyOrder::kRandom:
      return "random";
  }
  return "?";
}

const char* to_string(AnnealingKind kind) {
  switch (kind) {
    case AnnealingKind::kHedera:
      return "hedera";
    case AnnealingKind::kPublished:
      return "published";
  }
  return "?";
}

}  // namespace coppice::routing
