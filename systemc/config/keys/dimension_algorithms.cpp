#include "config/keys/key_groups.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/document/file_name.h"
#include "config/document/value_schema.h"
#include "config/document/values.h"
#include "config/files/astra_system.h"
#include "schedule/tables/dimension_algorithm.h"

namespace coppice::config {
namespace {

using schedule::DimensionMethod;

constexpr const char* kPath = "collective.dimension_algorithms";

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const DimensionMethod method : schedule::kDimensionMethods) names.emplace_back(to_string(method));
  return names;
}

}  // namespace

Key dimension_algorithms_key() {
  Key key;
  key.path = kPath;
  key.example = "[ring, direct, halving_doubling]";
  key.form = "a list of ring, direct and halving_doubling, or the name of an ASTRA-sim system file";
  key.schema = value_schema::any_of({value_schema::text(), value_schema::list(value_schema::names(names()))});
  key.read = [](const Node& value, Config& config) {
    auto& algorithms = config.collective.chunk_policy.methods;
    if (value.kind == Node::Kind::kScalar) {
      AstraSystem system =
          read_astra_system(read_file_name(value, kPath, "the name of an ASTRA-sim system file"));
      algorithms = std::move(system.algorithms);
      auto& all = config.assumptions;
      all.insert(all.end(), system.assumptions.begin(), system.assumptions.end());
      return;
    }
    if (value.kind != Node::Kind::kList) {
      refuse(value, kPath,
             "a list with an algorithm for every dimension, or the name of an ASTRA-sim system file");
    }
    algorithms.clear();
    for (std::size_t i = 0; i < value.children.size(); ++i) {
      const std::string name = read_name(value.children[i], fmt::format("{}[{}]", kPath, i), names());
      algorithms.push_back(*std::ranges::find_if(
          schedule::kDimensionMethods, [&](DimensionMethod method) { return to_string(method) == name; }));
    }
  };
  key.write = [](const Config& config) {
    nlohmann::ordered_json algorithms;
    for (const DimensionMethod method : config.collective.chunk_policy.methods) {
      algorithms.push_back(to_string(method));
    }
    return algorithms;
  };
  return key;
}

}  // namespace coppice::config
