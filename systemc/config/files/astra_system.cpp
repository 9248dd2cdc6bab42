#include "config/files/astra_system.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/input_file.h"
#include "config/files/file_kind.h"
#include "schedule/tables/dimension_algorithm.h"

namespace coppice::config {
namespace {

using schedule::DimensionMethod;

constexpr const char* kTheirKey = "all-reduce-implementation";
constexpr std::array kTheirs{std::pair{"ring", DimensionMethod::kRing},
                             std::pair{"oneRing", DimensionMethod::kRing},
                             std::pair{"direct", DimensionMethod::kDirect},
                             std::pair{"oneDirect", DimensionMethod::kDirect},
                             std::pair{"halvingDoubling", DimensionMethod::kHalvingDoubling},
                             std::pair{"oneHalvingDoubling", DimensionMethod::kHalvingDoubling}};

nlohmann::json parse(const std::string& path) {
  try {
    return nlohmann::json::parse(read_input_file(path));
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("cannot read the system file: {}", error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError({path}, fmt::format("the system file is not JSON: {}", error.what()));
  }
}

DimensionMethod our_method(const std::string& path, const nlohmann::json& theirs) {
  std::string known;
  for (const auto& [name, method] : kTheirs) {
    if (theirs.is_string() && theirs.get<std::string>() == name) return method;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw ConfigError(
      {path}, fmt::format("{}: {} is not a supported algorithm for a dimension: write one of {}", kTheirKey,
                          theirs.dump(), known));
}

AstraSystem read_system(const std::string& path) {
  const nlohmann::json file = parse(path);
  if (!file.is_object() || !file.contains(kTheirKey) || !file[kTheirKey].is_array() ||
      file[kTheirKey].empty()) {
    throw ConfigError({path}, fmt::format("an ASTRA-sim system file needs the list {}, with an algorithm for "
                                          "every dimension, for example [\"ring\", \"halvingDoubling\"]",
                                          kTheirKey));
  }
  AstraSystem system;
  for (const nlohmann::json& theirs : file[kTheirKey]) system.algorithms.push_back(our_method(path, theirs));
  std::vector<std::string> others;
  for (const auto& [key, value] : file.items()) {
    if (key != kTheirKey) others.push_back(key);
  }
  if (!others.empty())
    system.assumptions.push_back(fmt::format("{}: ignored keys: {}", path, fmt::join(others, ", ")));
  return system;
}

}  // namespace

AstraSystem read_astra_system(const std::string& path) {
  return read_as({FileKind::kAstraSystem}, path, [&] { return read_system(path); });
}

}  // namespace coppice::config
