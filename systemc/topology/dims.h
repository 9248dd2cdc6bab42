#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Prevents a mistyped width from exhausting memory.
inline constexpr std::int64_t kMaxNodes = 1 << 20;
inline constexpr std::int64_t kMaxChannels = 1 << 24;

// Checks shared by builders. Each throws UnsupportedError naming the kind and what to write instead.

// `kind` must have `count` dims; `form` is their notation in the message ("[k, n]").
void require_dims(Kind kind, std::span<const int> dims, std::size_t count, std::string_view form);

// `what`, for example "accelerators per switch", must be at least `least`.
void require_at_least(Kind kind, std::string_view what, int value, int least);

// `nodes` and `channels` must be within the limits above.
void require_size(Kind kind, std::span<const int> dims, std::int64_t nodes, std::int64_t channels);

// The link specifications of `levels` levels, given one for all or one per level.
std::vector<LinkSpec> links_per_level(Kind kind, std::span<const LinkSpec> links, std::size_t levels);

}  // namespace coppice::topology
