#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/document/file_name.h"
#include "config/document/value_schema.h"
#include "config/document/values.h"
#include "config/keys/key.h"

// Functions that build the keys of schema.h from their types and ranges.
namespace coppice::config {

using Json = nlohmann::ordered_json;

// A key's path, and a function that returns a reference to its value in a Config, which may be const.
template <typename Field>
struct KeyAt {
  KeyAt(std::string path_of_it, Field field_of_it) : path(std::move(path_of_it)), field(field_of_it) {}
  std::string path;
  Field field;
};

// The KeyAt of a member of Config. Its path is the chain of members, such as system.link.bandwidth.
#define COPPICE_KEY(member) \
  KeyAt(                    \
      #member, [](auto& config) -> auto& { return config.member; })

template <typename Field>
using FieldType = std::remove_reference_t<std::invoke_result_t<Field, Config&>>;

template <typename Field>
Key integer_key(KeyAt<Field> at, std::int64_t lowest, std::int64_t highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    field(config) = static_cast<FieldType<Field>>(read_integer(value, path, lowest, highest));
  };
  key.write = [=, field = at.field](const Config& config) { return Json(field(config)); };
  key.form = fmt::format("a whole number from {} to {}", lowest, highest);
  key.schema = value_schema::integer(lowest, highest);
  key.path = std::move(at.path);
  return key;
}

template <typename Field>
Key number_key(KeyAt<Field> at, double lowest, double highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    field(config) = read_number(value, path, lowest, highest);
  };
  key.write = [=, field = at.field](const Config& config) { return Json(field(config)); };
  key.form = fmt::format("a number from {} to {}", lowest, highest);
  key.schema = value_schema::number(lowest, highest);
  key.path = std::move(at.path);
  return key;
}

template <typename Field, typename Quantity>
Key quantity_key(KeyAt<Field> at, Quantity (*parse)(std::string_view), std::string (*format)(Quantity),
                 Quantity lowest, Quantity highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    field(config) = read_quantity(value, path, parse, format, lowest, highest);
  };
  key.write = [=, field = at.field](const Config& config) { return Json(format(field(config))); };
  key.form = fmt::format("from {} to {}", format(lowest), format(highest));
  key.schema = value_schema::quantity(parse);
  key.path = std::move(at.path);
  return key;
}

// A key whose value is one quantity for all dimensions, or a list with one quantity per dimension.
template <typename Field, typename Quantity>
Key per_dimension_key(KeyAt<Field> at, Quantity (*parse)(std::string_view), std::string (*format)(Quantity),
                      Quantity lowest, Quantity highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    const auto read = [&](const Node& item, const std::string& item_path) {
      return read_quantity(item, item_path, parse, format, lowest, highest);
    };
    auto& quantities = field(config);
    quantities.clear();
    if (value.kind != Node::Kind::kList) {
      quantities.push_back(read(value, path));
      return;
    }
    for (const Node& item : value.children) {
      quantities.push_back(read(item, fmt::format("{}[{}]", path, quantities.size())));
    }
    if (quantities.empty()) refuse(value, path, "one value, or a list with a value for every dimension");
  };
  key.write = [=, field = at.field](const Config& config) {
    const auto& quantities = field(config);
    if (quantities.size() == 1) return Json(format(quantities.front()));
    Json list = Json::array();
    for (const auto& quantity : quantities) list.push_back(format(quantity));
    return list;
  };
  key.form = fmt::format("from {} to {}, or a list with a value for every dimension", format(lowest),
                         format(highest));
  key.schema = value_schema::any_of(
      {value_schema::quantity(parse), value_schema::list(value_schema::quantity(parse), 1)});
  key.path = std::move(at.path);
  return key;
}

// A key whose value, if it is set, is one of `names`.
template <typename Field>
Key name_key(KeyAt<Field> at, std::vector<std::string> names) {
  Key key;
  key.example = names.front();
  key.form = fmt::format("{}", fmt::join(names, ", "));
  key.schema = value_schema::names(names);
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    field(config) = read_name(value, path, names);
  };
  key.write = [=, field = at.field](const Config& config) {
    return field(config).empty() ? Json() : Json(field(config));
  };
  key.path = std::move(at.path);
  return key;
}

// A key whose value, if it is set, is the name of a file (config/document/file_name.h). `expected` describes
// the required form in messages.
template <typename Field>
Key file_key(KeyAt<Field> at, std::string expected, std::string example) {
  Key key;
  key.example = std::move(example);
  key.form = expected;
  key.schema = value_schema::text();
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    field(config) = read_file_name(value, path, expected);
  };
  key.write = [=, field = at.field](const Config& config) {
    return field(config).empty() ? Json() : Json(field(config));
  };
  key.path = std::move(at.path);
  return key;
}

// A key whose value is an enumerator, which to_string() converts to its word.
template <typename Field, typename Enum>
Key enum_key(KeyAt<Field> at, std::vector<Enum> values) {
  Key key;
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const Enum value : values) names.emplace_back(to_string(value));
  key.form = fmt::format("{}", fmt::join(names, ", "));
  key.schema = value_schema::names(names);
  key.read = [=](const Node& value, Config& config) {
    const auto& [path, field] = at;
    const std::string name = read_name(value, path, names);
    field(config) = *std::find_if(values.begin(), values.end(), [&](Enum e) { return to_string(e) == name; });
  };
  key.write = [=, field = at.field](const Config& config) { return Json(to_string(field(config))); };
  key.path = std::move(at.path);
  return key;
}

// A Boolean key: true, false, or another word that read_flag() accepts.
template <typename Field>
Key flag_key(KeyAt<Field> at) {
  Key key;
  key.form = "true, false";
  key.schema = value_schema::flag();
  key.read = [=](const Node& value, Config& config) { at.field(config) = read_flag(value, at.path); };
  key.write = [=, field = at.field](const Config& config) { return Json(field(config)); };
  key.path = std::move(at.path);
  return key;
}

// A key whose value is a whole number, or the word "auto", which is stored as `automatic`.
template <typename Field>
Key automatic_key(KeyAt<Field> at, int automatic, int lowest, int highest) {
  Key key;
  key.form = fmt::format("auto, or a whole number from {} to {}", lowest, highest);
  key.schema = value_schema::or_word("auto", value_schema::integer(lowest, highest));
  key.read = [=](const Node& value, Config& config) {
    const bool left = value.kind == Node::Kind::kScalar && value.text == "auto";
    at.field(config) = left ? automatic : static_cast<int>(read_integer(value, at.path, lowest, highest));
  };
  key.write = [=, field = at.field](const Config& config) {
    return field(config) == automatic ? Json("auto") : Json(field(config));
  };
  key.path = std::move(at.path);
  return key;
}

}  // namespace coppice::config
