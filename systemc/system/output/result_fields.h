#pragma once

#include <span>
#include <string_view>

namespace coppice::system {

// A field of the results that commands write. `coppice explain` and docs/reference are generated from these
// descriptions.
struct ResultField {
  std::string_view path;     // such as "bound.time_ns"; "dimensions[].size" is a field of list items
  std::string_view unit;     // such as "ns", "GB/s", "cycles"; empty for strings, counts and ratios
  std::string_view summary;  // meaning, in one sentence
};

// Every field, in the order of a result; sections that several commands share are listed once.
std::span<const ResultField> result_fields();

// The description of a field or of the nearest enclosing section that has one; nullptr if there is none.
const ResultField* describe_field(std::string_view path);

}  // namespace coppice::system
