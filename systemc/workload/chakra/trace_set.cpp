#include "workload/chakra/trace_set.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "workload/chakra/trace_bytes.h"
#include "workload/chakra/trace_values.h"

namespace coppice::workload::chakra {
namespace {

constexpr const char* kRank = "{rank}";
constexpr int kMostRanks = 1 << 20;

std::string file_of(const std::string& pattern, int rank) {
  const std::size_t place = pattern.find(kRank);
  return pattern.substr(0, place) + std::to_string(rank) + pattern.substr(place + std::string(kRank).size());
}

}  // namespace

std::vector<Trace> read_traces(const std::string& pattern) {
  if (pattern.find(kRank) == std::string::npos) {
    throw ConfigError({pattern},
                      "the file name of a trace must contain {rank} in place of the rank's number, for "
                      "example trace.{rank}.et");
  }
  std::vector<Trace> traces;
  std::error_code none;
  for (int rank = 0; rank < kMostRanks && std::filesystem::exists(file_of(pattern, rank), none); ++rank) {
    traces.push_back(read_trace(file_of(pattern, rank), rank));
  }
  if (traces.empty()) {
    throw ConfigError({pattern}, fmt::format("{}, the trace of rank 0, does not exist", file_of(pattern, 0)));
  }
  return traces;
}

NamedGroups read_groups(const std::string& path) {
  NamedGroups groups;
  const auto json = nlohmann::json::parse(read_trace_bytes(path), nullptr, false);
  const auto refuse = [&] {
    throw ConfigError(
        {path},
        "the groups must be an object that maps names to lists of ranks, for example {\"1\": [0, 1]}");
  };
  if (!json.is_object()) refuse();
  for (const auto& [name, ranks] : json.items()) {
    if (!ranks.is_array()) refuse();
    for (const auto& rank : ranks) {
      const auto number = whole_number(rank);
      if (!number) refuse();
      groups[name].push_back(*number);
    }
  }
  return groups;
}

}  // namespace coppice::workload::chakra
