#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::config {

// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The candidate most similar to `name`, the first of several equally similar ones; empty if there are no
// candidates.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// The dotted key that `path` most probably means, allowing for typing errors in any part and for the right
// name in the wrong section.
std::string nearest_key(std::string_view path, std::span<const std::string> keys);

}  // namespace coppice::config
