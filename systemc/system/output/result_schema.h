#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace coppice::system {

// A kind of result and the fields at its top level, as paths of result_fields(); all begin with `schema`, and
// end with `command` and `commit`, which are not listed here.
struct ResultKind {
  std::string_view name;  // such as "run", as the command
  std::string_view
      schema;  // such as "coppice.result/1"; empty for a section of a result that has such fields
  std::span<const std::string_view> always;
  std::span<const std::string_view> sometimes;
};

std::span<const ResultKind> result_kinds();

// JSON Schema (draft 7) of results, generated from result_fields(): a definition for every kind of result,
// such as "run_result", and for every section, such as "link_utilization" and, for list items,
// "channels_item".
nlohmann::ordered_json result_schema();

}  // namespace coppice::system
