#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coppice::system {

// The form of a value in a result.
enum class ValueForm : std::uint8_t {
  kBoolean,
  kInteger,
  kNumber,  // integral values may be printed without a decimal point
  kText,
  kIntegerOrText,  // a number, or a word such as auto
  kSection,        // an object whose parts are fields of their own
  kFree,           // an object described elsewhere
};

// The type of a field's value.
struct ValueType {
  ValueForm form = ValueForm::kText;
  std::uint8_t lists = 0;      // 1: a list of such values, 2: a list of lists of them
  bool map = false;            // an object with free names for such values
  bool nullable = false;       // null if there is nothing to measure
  bool optional = false;       // missing in some of the sections that can contain it
  std::string_view like = "";  // a section that also has all fields of the section with this path
};

// The type in words, such as "list of integer", "number or null" or "map of number, optional".
std::string to_string(const ValueType& type);

// A field of the results that commands write. `coppice explain`, `coppice schema result` and docs/reference
// are generated from these descriptions.
struct ResultField {
  std::string_view path;     // such as "bound.time_ns"; "dimensions[].size" is a field of list items, and "*"
                             // stands for any name
  std::string_view unit;     // such as "ns", "GB/s", "cycles"; empty for strings, counts and ratios
  ValueType type;            // of a list's items if the path ends with "[]"
  std::string_view summary;  // meaning, in one sentence
};

// Every field, in the order of a result; sections that several commands share are listed once.
std::span<const ResultField> result_fields();

// The field with exactly this path; nullptr if there is none.
const ResultField* find_field(std::string_view path);

// The description of a field or of the nearest enclosing section that has one; nullptr if there is none.
const ResultField* describe_field(std::string_view path);

}  // namespace coppice::system
