#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Limits that prevent a mistyped width from exhausting memory.
inline constexpr std::int64_t kMaxNodes = 1 << 20;
inline constexpr std::int64_t kMaxChannels = 1 << 24;

// Checks that are shared by builders. Each throws an UnsupportedError that names the kind and a remedy.

// Requires `count` dims; `form` is their notation in the message, such as "[k, n]".
void require_dims(Kind kind, std::span<const int> dims, std::size_t count, std::string_view form);

// Requires `value` to be at least `least`; `what` describes it, for example "accelerators per switch".
void require_at_least(Kind kind, std::string_view what, int value, int least);

// Requires `nodes` and `channels` to be within the above limits.
void require_size(Kind kind, std::span<const int> dims, std::int64_t nodes, std::int64_t channels);

// Returns one link specification per level, given one for all levels or one per level.
std::vector<LinkSpec> links_per_level(Kind kind, std::span<const LinkSpec> links, std::size_t levels);

}  // namespace coppice::topology
