#include "schedule/compile/compiler.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::schedule {

const char* to_string(TreePlacement placement) {
  switch (placement) {
    case TreePlacement::kAuto:
      return "auto";
    case TreePlacement::kRouted:
      return "routed";
    case TreePlacement::kEmbedded:
      return "embedded";
    case TreePlacement::kCcube:
      return "ccube";
  }
  return "?";
}

void require_whole_chunks(const CompileRequest& request, const std::string& algorithm) {
  if (request.chunks == 1 || request.chunks == kAutomaticChunks) return;
  throw UnsupportedError(
      fmt::format("{} does not split its data; set chunks to 1, not {}", algorithm, request.chunks));
}

}  // namespace coppice::schedule
