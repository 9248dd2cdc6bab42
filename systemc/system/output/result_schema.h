#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace coppice::system {

// A kind of result, and the fields at its top level as paths of result_fields(). Every result also begins
// with `schema` and ends with `command` and `commit`, which are not listed here.
struct ResultKind {
  std::string_view name;  // the name of the command, such as "run"
  // Such as "coppice.result/1"; empty for a section of a result instead of a whole result.
  std::string_view schema;
  std::span<const std::string_view> always;
  std::span<const std::string_view> sometimes;
};

std::span<const ResultKind> result_kinds();

// The JSON Schema (draft 7) of results, generated from result_fields(). It has a definition for each kind of
// result, such as "run_result", for each section, such as "link_utilization", and for each type of list item,
// such as "channels_item".
nlohmann::ordered_json result_schema();

}  // namespace coppice::system
