#include "config/json_schema.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/document/value_schema.h"
#include "config/schema.h"
#include "config/settings/config.h"

namespace coppice::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kArchitectureFile = "[^ ].*\\.cfg";

// A section may have no keys; YAML then reads it as null.
Json empty_section() {
  return {{"type", {"object", "null"}}, {"properties", Json::object()}, {"additionalProperties", false}};
}

// Describes the fields of a list's entries.
void describe_parts(Json& schema, const std::vector<KeyPart>& parts) {
  if (const auto forms = schema.find("anyOf"); forms != schema.end()) {
    for (Json& form : *forms) describe_parts(form, parts);
  }
  const auto items = schema.find("items");
  if (items == schema.end()) return;
  for (const KeyPart& part : parts) (*items)["properties"].at(part.name)["description"] = part.summary;
}

Json schema_of(const Key& key) {
  Json schema = key.schema;
  describe_parts(schema, key.parts);
  const bool listed = key.form.empty() || schema.contains("enum");
  schema["description"] = listed ? key.summary : fmt::format("{} Values: {}.", key.summary, key.form);
  Json usual = key.write(Config{});
  if (!usual.is_null() && usual != "") schema["default"] = std::move(usual);
  schema["examples"] = Json::array({key.example});
  return schema;
}

// Returns the properties of the section that encloses a key, and creates the section if necessary.
Json& place_of(Json& root, std::string_view path) {
  Json* section = &root;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    Json& sections = (*section)["properties"];
    const std::string name(path.substr(0, dot));
    if (!sections.contains(name)) sections[name] = empty_section();
    section = &sections[name];
    path.remove_prefix(dot + 1);
  }
  return (*section)["properties"][std::string(path)];
}

// Allows system.accelerator to be the name of a SCALE-Sim architecture file, or a section with the name of
// such a file, which the section extends (files/scale_sim_architecture.h).
void add_architecture_file(Json& root) {
  Json& accelerator = root["properties"]["system"]["properties"]["accelerator"];
  Json file = value_schema::pattern(kArchitectureFile);
  file["description"] = "The SCALE-Sim architecture file (*.cfg) that the section extends.";
  accelerator["properties"]["file"] = file;
  accelerator = value_schema::any_of({std::move(accelerator), value_schema::pattern(kArchitectureFile)});
}

}  // namespace

Json json_schema() {
  Json root{{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "Coppice configuration"},
            {"type", "object"},
            {"properties", Json::object()},
            {"additionalProperties", false}};
  Json base = value_schema::text();
  base["description"] = "The configuration that this one extends, such as machines/h100_hgx8.";
  root["properties"]["base"] = std::move(base);
  for (const Key& key : keys()) place_of(root, key.path) = schema_of(key);
  add_architecture_file(root);
  return root;
}

}  // namespace coppice::config
