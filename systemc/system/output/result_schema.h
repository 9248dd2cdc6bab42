#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "system/output/result_fields.h"

namespace coppice::system {

// A kind of result. Every result begins with `schema` and ends with `command` and `commit`; the table of
// result_fields() states which other fields each kind has at its top level.
struct ResultKind {
  std::string_view name;  // the name of the command, such as "run"
  // Such as "coppice.result/1"; empty for a section of a result instead of a whole result.
  std::string_view schema;
  ResultOf of;
};

std::span<const ResultKind> result_kinds();

// The JSON Schema (draft 7) of results, generated from result_fields(). It has a definition for each kind of
// result, such as "run_result", for each section, such as "link_utilization", and for each type of list item,
// such as "channels_item".
nlohmann::ordered_json result_schema();

}  // namespace coppice::system
