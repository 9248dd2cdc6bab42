#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coppice::system {

// The kind of value that a field of a result has.
enum class ValueForm : std::uint8_t {
  kBoolean,
  kInteger,
  kNumber,  // integral values may be printed without a decimal point
  kText,
  kIntegerOrText,  // a number, or a word such as auto
  kSection,        // an object whose members are fields of their own
  kFree,           // an object whose members are described elsewhere
};

// The type of a field's value.
struct ValueType {
  ValueForm form = ValueForm::kText;
  std::uint8_t lists = 0;      // 1: a list of values of this form; 2: a list of such lists
  bool map = false;            // an object that maps arbitrary names to values of this form
  bool nullable = false;       // null if there is nothing to measure
  bool optional = false;       // missing in some of the sections that can contain it
  std::string_view like = "";  // path of another section whose fields this section also has
};

// The type in words, such as "list of integer", "number or null" or "map of number, optional".
std::string to_string(const ValueType& type);

// The kinds of results, each of which a command writes, and the items of `stretches`, whose fields are those
// of the part of a run that they report.
enum class ResultOf : std::uint16_t {
  kRun = 1,
  kTraffic = 2,
  kRoute = 4,
  kLayers = 8,
  kBound = 16,
  kChunks = 32,
  kCompare = 64,
  kTopology = 128,
  kStretch = 256,
  kEveryCommand =
      kRun | kTraffic | kRoute | kLayers | kBound | kChunks | kCompare,  // that reads a configuration
};

// The kinds of results that have a field at their top level.
struct Presence {
  std::uint16_t always = 0;     // bits of ResultOf
  std::uint16_t sometimes = 0;  // bits of ResultOf; the others never have the field

  constexpr bool is_always_in(ResultOf kind) const { return (always & static_cast<unsigned>(kind)) != 0; }
  constexpr bool may_be_in(ResultOf kind) const {
    return ((always | sometimes) & static_cast<unsigned>(kind)) != 0;
  }
};

// A field of the results that commands write. `coppice explain`, `coppice schema result` and the pages in
// docs/reference are generated from these descriptions.
struct ResultField {
  std::string_view path;     // such as "bound.time_ns"; "[]" follows the name of a list, and "*"
                             // stands for any name
  std::string_view unit;     // such as "ns" or "GB/s"; empty for strings, counts and ratios
  ValueType type;            // the type of a list's items if the path ends with "[]"
  std::string_view summary;  // the meaning, in one sentence
  // The results that have this field or, if it is the first one of a section, that section at their top
  // level.
  Presence presence{};
};

// All fields, in the order in which results contain them. Sections that several commands write are listed
// once.
std::span<const ResultField> result_fields();

// The field with exactly this path; nullptr if there is none.
const ResultField* find_field(std::string_view path);

// The description of a field or of the nearest enclosing section that has one; nullptr if there is none.
const ResultField* describe_field(std::string_view path);

}  // namespace coppice::system
