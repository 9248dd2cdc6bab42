#pragma once

#include <string_view>
#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// All keys, in the order of a resolved configuration.
const std::vector<Key>& keys();

const Key* find_key(std::string_view path);

// A key that earlier versions had, and advice on what to write instead.
struct RetiredKey {
  std::string_view path;
  std::string_view instead;
};
const RetiredKey* find_retired_key(std::string_view path);

// Whether the path of any key begins with "path.".
bool is_section(std::string_view path);

}  // namespace coppice::config
