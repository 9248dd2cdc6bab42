#include "schedule/compile/memory_limit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/compile/send.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {

Bytes memory_for(std::int64_t messages) {
  return messages * static_cast<Bytes>(sizeof(TableEntry) + sizeof(Send) + sizeof(Message));
}

void require_memory(const std::string& what, std::int64_t messages, Bytes available) {
  const Bytes needed = memory_for(messages);
  if (needed <= available) return;
  throw UnsupportedError(fmt::format(
      "checking the {1} messages of {0}, one table entry each, needs {2:.1f} GB of memory, but this "
      "machine has {3:.1f} GB: use ring or multitree_optimal on a torus, with a collective.size that "
      "divides evenly among the accelerators, or use fewer accelerators",
      what, messages, static_cast<double>(needed) / 1e9, static_cast<double>(available) / 1e9));
}

void require_memory_for_trees(const std::string& what, std::int64_t accelerators,
                              const CompileRequest& request) {
  const int phases = request.collective == Collective::kAllReduce ? 2 : 1;
  const std::int64_t pieces = std::max(request.chunks, 1);
  require_memory(what, phases * accelerators * (accelerators - 1) * pieces, machine_memory());
}

}  // namespace coppice::schedule
