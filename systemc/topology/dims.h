#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Limits on the size of a network, which prevent a mistyped width from exhausting memory.
inline constexpr std::int64_t kMaxNodes = 1 << 20;
inline constexpr std::int64_t kMaxChannels = 1 << 24;

// The following checks are shared by several builders. Each throws UnsupportedError, which names the kind and
// the limit.

// Requires `count` entries in `dims`. The error quotes `form`, which shows what valid dims look like, such as
// "[k, n]".
void require_dims(Kind kind, std::span<const int> dims, std::size_t count, std::string_view form);

// Requires `value` to be at least `least`. `what` describes the value, for example "accelerators per switch".
void require_at_least(Kind kind, std::string_view what, int value, int least);

// Requires the numbers of nodes and channels to be within the limits above.
void require_size(Kind kind, std::span<const int> dims, std::int64_t nodes, std::int64_t channels);

// Expands `links` to one link specification per level. `links` may contain one specification for all levels
// or one per level.
std::vector<LinkSpec> links_per_level(Kind kind, std::span<const LinkSpec> links, std::size_t levels);

}  // namespace coppice::topology
