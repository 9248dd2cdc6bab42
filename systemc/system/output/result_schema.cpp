#include "system/output/result_schema.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "system/output/result_fields.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;
using Paths = std::vector<std::string>;

constexpr std::string_view kListed = "[]";
constexpr std::string_view kStretch = "stretches[]";

constexpr ResultKind kKinds[] = {
    {"run", "coppice.result/1", ResultOf::kRun},
    {"traffic", "coppice.traffic/1", ResultOf::kTraffic},
    {"route", "coppice.route/1", ResultOf::kRoute},
    {"layers", "coppice.layers/1", ResultOf::kLayers},
    {"bound", "coppice.bound/1", ResultOf::kBound},
    {"chunks", "coppice.chunks/1", ResultOf::kChunks},
    {"compare", "coppice.compare/1", ResultOf::kCompare},
    {"topology", "coppice.topology/1", ResultOf::kTopology},
    {kStretch, "", ResultOf::kStretch},
};

// The last name of a path, without the "[]" of a list.
std::string name_of(std::string_view path) {
  if (path.ends_with(kListed)) path.remove_suffix(kListed.size());
  return std::string(path.substr(path.rfind('.') + 1));
}

// The name of a section's definition.
std::string definition_of(std::string_view path) {
  std::string name;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.substr(i).starts_with(kListed)) {
      name += "_item";
      ++i;
    } else if (path[i] == '*') {
      name += "any";
    } else {
      name += path[i] == '.' ? '_' : path[i];
    }
  }
  return name;
}

Json listed(Json item) {
  return {{"type", "array"}, {"items", std::move(item)}};
}

Json form_of(const ValueType& type) {
  switch (type.form) {
    case ValueForm::kBoolean:
      return {{"type", "boolean"}};
    case ValueForm::kInteger:
      return {{"type", "integer"}};
    case ValueForm::kNumber:
      return {{"type", "number"}};
    case ValueForm::kText:
      return {{"type", "string"}};
    case ValueForm::kIntegerOrText:
      return {{"type", {"integer", "string"}}};
    case ValueForm::kSection:
    case ValueForm::kFree:
      break;
  }
  return {{"type", "object"}};
}

class SchemaWriter {
 public:
  Json write() {
    Json root{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Coppice result"},
              {"description", "Results that --out writes."},
              {"oneOf", Json::array()}};
    for (const ResultKind& kind : result_kinds()) {
      if (kind.schema.empty()) continue;
      const std::string name = fmt::format("{}_result", kind.name);
      root["oneOf"].push_back(reference(name));
      define_kind(name, kind);
    }
    root["definitions"] = std::move(definitions_);
    return root;
  }

 private:
  static Json reference(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }

  void define_kind(const std::string& name, const ResultKind& kind) {
    Json all{{"type", "object"}, {"properties", Json::object()}, {"required", {"schema"}}};
    all["description"] = fmt::format("The result of `coppice {}`.", kind.name);
    all["properties"]["schema"] = {{"const", kind.schema}, {"description", find_field("schema")->summary}};
    add_fields(all, kind);
    for (const char* const last : {"command", "commit"}) add_field(all, last, true);
    all["additionalProperties"] = false;
    definitions_[name] = std::move(all);
  }

  void add_fields(Json& section, const ResultKind& kind) {
    for (const ResultField& field : result_fields()) {
      if (!field.presence.may_be_in(kind.of)) continue;
      const std::string path(field.path.substr(0, field.path.find('.')));
      add_field(section, path, field.presence.is_always_in(kind.of));
    }
  }

  void add_field(Json& section, const std::string& path, bool always) {
    const std::string name = name_of(path);
    Json value = schema_of(path);
    if (name == "*") {
      section["additionalProperties"] = std::move(value);
      return;
    }
    section["properties"][name] = std::move(value);
    auto& required = section["required"];
    const auto place = std::ranges::find(required, Json(name));
    if (always && place == required.end()) required.push_back(name);
    if (!always && place != required.end()) required.erase(place);
  }

  // The schema of a field's value; sections become references to their definitions.
  Json schema_of(const std::string& path) {
    const ResultField* const field = find_field(path);
    if (field == nullptr || field->type.form == ValueForm::kSection) {
      const bool same = field != nullptr && !field->type.like.empty() && children(path).empty();
      Json section = reference(define(same ? std::string(field->type.like) : path));
      return path.ends_with(kListed) ? listed(std::move(section)) : section;
    }
    Json value = form_of(field->type);
    for (int i = 0; i < field->type.lists; ++i) value = listed(std::move(value));
    if (field->type.map) value = {{"type", "object"}, {"additionalProperties", std::move(value)}};
    if (field->type.nullable) value["type"] = {value["type"], "null"};
    value["description"] = field->unit.empty() ? std::string(field->summary)
                                               : fmt::format("{} Unit: {}.", field->summary, field->unit);
    return value;
  }

  // Defines a section unless it has already been defined, and returns the name of the definition.
  std::string define(const std::string& path) {
    const std::string name = definition_of(path);
    if (definitions_.contains(name)) return name;
    Json section{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
    if (const ResultField* const field = find_field(path)) section["description"] = field->summary;
    section["additionalProperties"] = false;
    add_children(section, path);
    if (section["properties"].empty()) section.erase("properties");
    if (section["required"].empty()) section.erase("required");
    definitions_[name] = std::move(section);
    return name;
  }

  void add_children(Json& section, const std::string& path) {
    const ResultField* const field = find_field(path);
    if (field != nullptr && !field->type.like.empty()) add_children(section, std::string(field->type.like));
    for (const std::string& child : children(path)) {
      const ResultField* const own = find_field(child);
      add_field(section, child, own == nullptr || !own->type.optional);
    }
    for (const ResultKind& kind : result_kinds()) {
      if (kind.schema.empty() && kind.name == path) add_fields(section, kind);
    }
  }

  // The paths of the fields directly in a section.
  static Paths children(const std::string& section) {
    Paths paths;
    for (const ResultField& field : result_fields()) {
      if (!field.path.starts_with(section + ".")) continue;
      const std::string path(field.path.substr(0, field.path.find('.', section.size() + 1)));
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    }
    return paths;
  }

  Json definitions_ = Json::object();
};

}  // namespace

std::span<const ResultKind> result_kinds() {
  return kKinds;
}

Json result_schema() {
  return SchemaWriter().write();
}

}  // namespace coppice::system
