#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coppice::schedule {

// The place of the byte at `offset`.
SourceLocation place_of_byte(std::string_view text, const std::string& file, std::size_t offset);

// Where the value at `pointer` (RFC 6901: "/nodes/3/ports/0/7/step") stands in a JSON text that parses. The
// parser's tree does not keep places; errors are rare enough to read the text once more.
SourceLocation locate(std::string_view text, const std::string& file, const std::string& pointer);

// Where a key of a JSON text that parses stands a second time in its object, and which; nothing if none does.
// The parser keeps the last of them without a word.
struct DuplicateKey {
  SourceLocation place;
  std::string name;
};
std::optional<DuplicateKey> find_duplicate_key(std::string_view text, const std::string& file);

}  // namespace coppice::schedule
