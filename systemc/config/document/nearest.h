#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::config {

// The minimum number of insertions, deletions, substitutions and swaps of neighbouring characters that turn
// `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The candidate most similar to `name` (the first one if several are equally similar); empty if there are no
// candidates.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// The dotted key that `path` most probably means. Allows for typing errors in any part, and for a correct
// name in the wrong section.
std::string nearest_key(std::string_view path, std::span<const std::string> keys);

}  // namespace coppice::config
