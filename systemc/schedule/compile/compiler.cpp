#include "schedule/compile/compiler.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::schedule {

void require_whole_chunks(const CompileRequest& request, const std::string& algorithm) {
  if (request.chunks == 1 || request.chunks == kAutomaticChunks) return;
  throw UnsupportedError(
      fmt::format("{} does not split its data: write 1 chunk, not {}", algorithm, request.chunks));
}

}  // namespace coppice::schedule
