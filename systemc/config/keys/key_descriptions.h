#pragma once

#include <span>
#include <string_view>

namespace coppice::config {

// The description of a key, used by `coppice explain`, the man pages and docs/reference.
struct KeyDescription {
  std::string_view path;     // "system.link.bandwidth"; "routing.jobs[].model" is a part of an item of a list
  std::string_view summary;  // what it decides, one sentence
  std::string_view form{};   // what values may be, where the key itself does not say
};

// Every key and part, in the order of the schema.
std::span<const KeyDescription> key_descriptions();

// nullptr where there is none.
const KeyDescription* describe_key(std::string_view path);

}  // namespace coppice::config
