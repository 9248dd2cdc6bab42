#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::config {

// The minimum number of insertions, deletions, substitutions and swaps of neighbouring characters that turn
// `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that is most similar to `name`; the first one if several are equally similar, or an empty
// string if there are no candidates.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// The key that `path` probably means. The mistake may be a typing error in any part of the path, or a correct
// name in the wrong section.
std::string nearest_key(std::string_view path, std::span<const std::string> keys);

}  // namespace coppice::config
