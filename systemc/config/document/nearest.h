#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::config {

// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The candidate most similar to `name`, the first among equals; empty if there are none.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// The dotted key that was most probably meant: one with a slip in any part, or with the right name in another
// section.
std::string nearest_key(std::string_view path, std::span<const std::string> keys);

}  // namespace coppice::config
