#include "config/files/transformer_file.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "config/document/document.h"
#include "config/document/nearest.h"
#include "config/document/values.h"
#include "config/files/file_kind.h"

namespace coppice::config {
namespace {

using workload::Transformer;

constexpr std::int64_t kLargest = std::int64_t{1} << 40;

// A key of the description.
struct Field {
  std::string name;
  bool required = false;
  std::function<void(const Node& value, Transformer& model)> read;
};

Field number(const char* name, std::int64_t Transformer::*field, std::int64_t most, bool required = false) {
  return {name, required,
          [=](const Node& value, Transformer& model) { model.*field = read_integer(value, name, 1, most); }};
}

Field flag(const char* name, bool Transformer::*field) {
  return {name, false, [=](const Node& value, Transformer& model) { model.*field = read_flag(value, name); }};
}

const std::vector<Field>& fields() {
  static const std::vector<Field> all{
      number("layers", &Transformer::layers, 1 << 14, true),
      number("width", &Transformer::width, 1 << 20, true),
      number("heads", &Transformer::heads, 1 << 14, true),
      number("key_value_heads", &Transformer::key_value_heads, 1 << 14),
      number("head_width", &Transformer::head_width, 1 << 14),
      number("feed_forward", &Transformer::feed_forward, 1 << 22, true),
      flag("gated", &Transformer::gated),
      number("experts", &Transformer::experts, 1 << 14),
      number("experts_per_token", &Transformer::experts_per_token, 1 << 14),
      number("vocabulary", &Transformer::vocabulary, 1 << 28, true),
      number("sequence", &Transformer::sequence, 1 << 28, true),
      flag("tied", &Transformer::tied),
      flag("biases", &Transformer::biases),
      {"positions", false,
       [](const Node& value, Transformer& model) {
         const std::vector<std::string> names{"none", "learned"};
         model.learned_positions = read_name(value, "positions", names) == "learned";
       }},
      flag("embedding_normalization", &Transformer::embedding_normalization),
      flag("dropout", &Transformer::dropout),
  };
  return all;
}

const Field& field_of(const Node& line) {
  const auto found = std::ranges::find(fields(), line.name, &Field::name);
  if (found != fields().end()) return *found;
  std::vector<std::string> names;
  for (const Field& field : fields()) names.push_back(field.name);
  throw ConfigError(line.name_place, fmt::format("a transformer has no key '{}'; did you mean '{}'?",
                                                 line.name, nearest(line.name, names)));
}

// The location of the key `name`; if it is missing, the first line of the file.
SourceLocation place_of(const Node& document, const char* name) {
  const auto found = std::ranges::find(document.children, name, &Node::name);
  return found == document.children.end() ? document.place : found->place;
}

void require_multiple(const Node& document, std::int64_t of, const char* what, const char* name,
                      std::int64_t parts) {
  if (of % parts == 0) return;
  throw ConfigError(place_of(document, name),
                    fmt::format("{} is {}, but it must divide the {}, which is {}", name, parts, what, of));
}

void check(const Node& document, const Transformer& model) {
  for (const Field& field : fields()) {
    const bool there =
        std::ranges::find(document.children, field.name, &Node::name) != document.children.end();
    if (field.required && !there) {
      throw ConfigError(document.place,
                        fmt::format("{} is missing: a transformer needs layers, width, heads, "
                                    "feed_forward, vocabulary and sequence",
                                    field.name));
    }
  }
  require_multiple(document, model.heads, "number of heads", "key_value_heads", model.key_value_heads);
  if (model.experts_per_token > model.experts) {
    throw ConfigError(place_of(document, "experts_per_token"),
                      fmt::format("experts_per_token is {}, but it must not exceed experts, which is {}",
                                  model.experts_per_token, model.experts));
  }
  if (model.layer_parameters() > kLargest / model.layers || model.parameters() > kLargest) {
    throw ConfigError(document.place,
                      fmt::format("the transformer has more than {} weights, which is the limit", kLargest));
  }
}

Transformer read_model(const std::string& path) {
  const Node document = read_document(path);
  Transformer model;
  model.name = std::filesystem::path(path).stem().string();
  model.key_value_heads = model.head_width = 0;
  for (const Node& line : document.children) field_of(line).read(line, model);
  if (model.key_value_heads == 0) model.key_value_heads = model.heads;
  if (model.head_width == 0) {
    require_multiple(document, model.width, "width", "heads", model.heads);
    model.head_width = model.width / model.heads;
  }
  check(document, model);
  return model;
}

}  // namespace

workload::Transformer read_transformer(const std::string& path) {
  return read_as({FileKind::kTransformer}, path, [&] { return read_model(path); });
}

}  // namespace coppice::config
