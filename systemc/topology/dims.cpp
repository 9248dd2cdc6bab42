#include "topology/dims.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::topology {

void require_dims(Kind kind, std::span<const int> dims, std::size_t count, std::string_view form) {
  if (dims.size() == count) return;
  throw UnsupportedError(
      fmt::format("a {} needs dims {}, not [{}]", to_string(kind), form, fmt::join(dims, ", ")));
}

void require_at_least(Kind kind, std::string_view what, int value, int least) {
  if (value >= least) return;
  throw UnsupportedError(
      fmt::format("a {} cannot have {} {}: it needs at least {}", to_string(kind), value, what, least));
}

void require_size(Kind kind, std::span<const int> dims, std::int64_t nodes, std::int64_t channels) {
  if (nodes <= kMaxNodes && channels <= kMaxChannels) return;
  throw UnsupportedError(fmt::format("a {} {} is too large: at most {} nodes and {} channels are possible",
                                     to_string(kind), fmt::join(dims, "x"), kMaxNodes, kMaxChannels));
}

std::vector<LinkSpec> links_per_level(Kind kind, std::span<const LinkSpec> links, std::size_t levels) {
  if (links.size() == 1) return std::vector<LinkSpec>(levels, links.front());
  if (links.size() == levels) return {links.begin(), links.end()};
  throw UnsupportedError(
      fmt::format("a {} with {} levels of links needs one link specification for all{}, not {}",
                  to_string(kind), levels, levels > 1 ? " or one for each" : "", links.size()));
}

}  // namespace coppice::topology
