#pragma once

#include <span>
#include <string_view>

namespace coppice::system {

// A field of the results that commands write. `coppice explain` and docs/reference are generated from these.
struct ResultField {
  std::string_view path;     // "bound.time_ns"; "dimensions[].size" is a field of the items of a list
  std::string_view unit;     // "ns", "GB/s", "cycles"; empty for texts, counts and ratios
  std::string_view summary;  // its meaning, in one sentence
};

// Every field, in the order of a result; sections shared by commands are listed once.
std::span<const ResultField> result_fields();

// The description of a field, or of the nearest enclosing section that is described as a whole; nullptr if
// there is none.
const ResultField* describe_field(std::string_view path);

}  // namespace coppice::system
