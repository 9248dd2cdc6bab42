#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coppice::schedule {

// The place of the byte at `offset`.
SourceLocation place_of_byte(std::string_view text, const std::string& file, std::size_t offset);

// Where the value at `pointer` (RFC 6901: "/nodes/3/ports/0/7/step") stands in a JSON text that parses. The
// parser's tree does not keep places; errors are rare enough to read the text once more.
SourceLocation locate(std::string_view text, const std::string& file, const std::string& pointer);

}  // namespace coppice::schedule
