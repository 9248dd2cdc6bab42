#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::config {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that is most like `name`, the first of several; empty if there are none.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// The dotted key that was most probably meant: a slip in any part of it, or the right name in the wrong
// section.
std::string nearest_key(std::string_view path, std::span<const std::string> keys);

}  // namespace coppice::config
