#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coppice::schedule {

// Converts the offset of a byte in `text` to a line and column of `file`.
SourceLocation location_of_byte(std::string_view text, const std::string& file, std::size_t offset);

// The location of the value at `pointer` (RFC 6901, for example "/nodes/3/ports/0/0/step") in a valid JSON
// text. The text is scanned again, because the parser's tree contains no locations and errors are rare.
SourceLocation locate(std::string_view text, const std::string& file, const std::string& pointer);

// The first key that occurs twice in an object of a valid JSON text, with the location of its second
// occurrence; nullopt if there is none. The parser does not report duplicate keys and keeps the last value.
struct DuplicateKey {
  SourceLocation place;
  std::string name;
};
std::optional<DuplicateKey> find_duplicate_key(std::string_view text, const std::string& file);

}  // namespace coppice::schedule
