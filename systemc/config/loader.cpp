#include "config/loader.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/document/base_file.h"
#include "config/document/document.h"
#include "config/document/nearest.h"
#include "config/document/result_document.h"
#include "config/document/values.h"
#include "config/files/booksim_file.h"
#include "config/files/file_kind.h"
#include "config/files/scale_sim_architecture.h"
#include "config/keys/dimensions.h"
#include "config/keys/parallel_keys.h"
#include "config/machine_fit.h"
#include "config/rules.h"
#include "config/schema.h"

namespace coppice::config {
namespace {

[[noreturn]] void refuse_unknown(const Node& node, const std::string& path) {
  if (find_key(path) != nullptr || is_section(path)) {
    throw ConfigError(node.name_place, fmt::format("'{}' must be nested: write each part of the name as a "
                                                   "key of its own, inside the section of the previous part",
                                                   path));
  }
  if (const RetiredKey* const retired = find_retired_key(path); retired != nullptr) {
    throw ConfigError(node.name_place, fmt::format("{} is no longer a key: {}", path, retired->instead));
  }
  std::vector<std::string> known;
  for (const Key& key : keys()) {
    known.push_back(key.path);
    for (std::string section = enclosing_section(key.path); !section.empty();
         section = enclosing_section(section)) {
      if (std::find(known.begin(), known.end(), section) == known.end()) known.push_back(section);
    }
  }
  throw ConfigError(node.name_place,
                    fmt::format("unknown key '{}'; did you mean '{}'?", path, nearest_key(path, known)));
}

class Reader {
 public:
  explicit Reader(Loaded& loaded) : loaded_(loaded) {}

  void read_section(const Node& section, const std::string& prefix) {
    for (const Node& child : section.children) {
      const std::string path = prefix + child.name;
      if (const Key* key = find_key(path); key != nullptr && child.name.find('.') == std::string::npos) {
        read_key(*key, child);
      } else if (is_section(path) && child.name.find('.') == std::string::npos) {
        if (child.kind != Node::Kind::kMap && child.kind != Node::Kind::kNull) {
          refuse(child, path, "a section of keys and values");
        }
        loaded_.places.emplace(path, child.name_place);
        read_section(child, path + ".");
      } else {
        refuse_unknown(child, path);
      }
    }
  }

 private:
  void read_key(const Key& key, const Node& value) {
    if (value.kind == Node::Kind::kNull) {
      throw ConfigError(value.place,
                        fmt::format("{} has no value: write one, for example '{}'", key.path, key.example));
    }
    key.read(value, loaded_.config);
    loaded_.places.emplace(key.path, value.place);
    add_places(key.path, value);
  }

  // Records the locations of the elements of a list or map, and of all elements nested in them.
  void add_places(const std::string& path, const Node& value) {
    if (value.kind != Node::Kind::kList && value.kind != Node::Kind::kMap) return;
    for (std::size_t i = 0; i < value.children.size(); ++i) {
      const Node& child = value.children[i];
      const std::string name = value.kind == Node::Kind::kList ? fmt::format("[{}]", i) : "." + child.name;
      loaded_.places.emplace(path + name, child.place);
      add_places(path + name, child);
    }
  }

  Loaded& loaded_;
};

}  // namespace

void require_keys(const Loaded& loaded, Purpose purpose) {
  for (const Key& key : keys()) {
    if (!key.required.has(purpose) || loaded.places.contains(key.path)) continue;
    if (key.excused && key.excused(loaded, purpose)) continue;
    throw ConfigError(loaded.place(key.path),
                      fmt::format("{} is missing: add it, for example '{}: {}'", key.path,
                                  key.path.substr(key.path.rfind('.') + 1), key.example));
  }
}

namespace {

void add_assumptions(const std::vector<std::string>& assumptions, Loaded& loaded) {
  auto& all = loaded.config.assumptions;
  for (const std::string& assumption : assumptions) {  // a result already lists some of the assumptions
    if (std::ranges::find(all, assumption) == all.end()) all.push_back(assumption);
  }
}

Loaded load_document(const std::string& path, Node root, const std::vector<std::string>& overrides,
                     Purpose purpose) {
  expand_base(root);
  for (const std::string& text : overrides) merge(root, parse_override(text));
  Loaded loaded;
  loaded.top = {path};
  std::vector<std::string> assumptions;
  expand_accelerator(root, assumptions);
  Reader(loaded).read_section(root, "");
  add_assumptions(assumptions, loaded);
  require_keys(loaded, purpose);
  resolve_parallel_training(loaded);
  fit_machine(loaded);
  check_rules(loaded);
  return loaded;
}

}  // namespace

Loaded load(const std::string& path, const std::vector<std::string>& overrides, Purpose purpose) {
  ConfigDocument document;
  Loaded loaded = read_as({FileKind::kConfiguration, FileKind::kResult}, path, [&] {
    document = read_config_document(path);
    return load_document(path, std::move(document.root), overrides, purpose);
  });
  loaded.from_result = document.from_result;
  add_assumptions(document.assumptions, loaded);
  return loaded;
}

Loaded load_booksim(const std::string& path, const BooksimExperiment& experiment,
                    const std::vector<std::string>& overrides) {
  Loaded loaded = load_document(path, experiment.document, overrides, Purpose::kTraffic);
  add_assumptions(experiment.assumptions, loaded);
  return loaded;
}

void write_config(const Config& config, nlohmann::ordered_json& result) {
  result["config"] = to_json(config);
  result["warnings"] = config.warnings;
  result["assumptions"] = config.assumptions;
}

nlohmann::ordered_json to_json(const Config& config) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  for (const Key& key : keys()) {
    nlohmann::ordered_json value = key.write(config);
    if (value.is_null()) continue;
    nlohmann::ordered_json* at = &root;
    std::size_t begin = 0;
    for (std::size_t dot = key.path.find('.'); dot != std::string::npos; dot = key.path.find('.', begin)) {
      at = &(*at)[key.path.substr(begin, dot - begin)];
      begin = dot + 1;
    }
    (*at)[key.path.substr(begin)] = std::move(value);
  }
  return root;
}

}  // namespace coppice::config
