#include "app/page_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "config/loader.h"
#include "system/machine/build.h"
#include "system/output/result_fields.h"
#include "system/output/run_profile.h"

namespace coppice::app {
namespace {

using nlohmann::ordered_json;

// Rounds a fraction to six decimals, so that the page can round it to a percentage with one decimal.
double rounded(double part) {
  constexpr double kPlaces = 1e6;
  return std::round(kPlaces * part) / kPlaces;
}

// Sums over the collectives with the same op, kind, algorithm and size.
struct Alike {
  std::int64_t count = 0;
  double time_ns = 0;
  double bandwidth = 0;
  double efficiency = 0;
  std::int64_t with_efficiency = 0;
};

ordered_json by_kind(const ordered_json& collectives) {
  std::map<std::tuple<std::string, std::string, std::string, double>, Alike> sums;
  for (const ordered_json& one : collectives) {
    if (!one.contains("begin_ns")) continue;
    Alike& sum = sums[{one.value("op", ""), one.value("kind", ""), one.value("algorithm", ""),
                       one.value("bytes", 0.0)}];
    const auto count = one.value("count", std::int64_t{1});
    const auto times = static_cast<double>(count);
    sum.count += count;
    sum.time_ns += times * (one.value("end_ns", 0.0) - one.value("joined_ns", one.value("begin_ns", 0.0)));
    sum.bandwidth += times * one.value("bandwidth_gb_s", 0.0);
    if (!one.contains("efficiency")) continue;
    sum.efficiency += times * one["efficiency"].get<double>();
    sum.with_efficiency += count;
  }
  auto rows = ordered_json::array();
  for (const auto& [key, sum] : sums) {
    const auto& [op, kind, algorithm, bytes] = key;
    rows.push_back({{"op", op},
                    {"kind", kind},
                    {"algorithm", algorithm},
                    {"bytes", bytes},
                    {"count", sum.count},
                    {"time_ns", sum.time_ns},
                    {"bandwidth_gb_s", sum.bandwidth / static_cast<double>(sum.count)}});
    if (sum.with_efficiency > 0)
      rows.back()["efficiency"] = sum.efficiency / static_cast<double>(sum.with_efficiency);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ordered_json& a, const ordered_json& b) {
    return a["time_ns"].get<double>() > b["time_ns"].get<double>();
  });
  constexpr std::size_t kMostRows = 200;
  if (rows.size() > kMostRows) rows.erase(rows.begin() + kMostRows, rows.end());
  return rows;
}

bool names_network(const ordered_json& result) {
  return result.contains("config") && result["config"].contains("system") &&
         result["config"]["system"].contains("topology");
}

}  // namespace

ordered_json network_of(const std::string& path, const ordered_json& result) {
  if (!names_network(result)) return {};
  ordered_json drawing;
  try {
    drawing = system::drawing_of(system::build_topology(config::load(path, {}, config::Purpose::kTraffic)));
  } catch (const std::exception&) {
    return {};  // a file of the network is missing
  }
  if (!result.contains("channels")) return drawing;
  // Parallel channels have the same order in the drawing and the result, which omits failed channels.
  std::map<std::pair<int, int>, std::queue<const ordered_json*>> by_ends;
  for (const ordered_json& channel : result["channels"]) {
    by_ends[{channel.value("src", -1), channel.value("dst", -1)}].push(&channel);
  }
  for (ordered_json& channel : drawing["channels"]) {
    auto& same = by_ends[{channel[0].get<int>(), channel[1].get<int>()}];
    if (same.empty()) continue;
    channel.push_back(same.front()->value("bytes", 0.0));
    channel.push_back(rounded(same.front()->value("busy", 0.0)));
    same.pop();
  }
  return drawing;
}

ordered_json condensed(ordered_json result) {
  for (const char* key : {"channels", "profile", "ni_overhead"}) result.erase(key);
  if (!result.contains("traffic")) result.erase("statistics");  // only pages of traffic show statistics
  if (result.contains("collectives")) result["collectives"] = by_kind(result["collectives"]);
  if (result.contains("accelerators") && result["accelerators"].is_array()) {
    for (ordered_json& accelerator : result["accelerators"]) {
      if (accelerator.is_object()) accelerator.erase("operations");
    }
  }
  if (result.contains("stretches")) {
    for (ordered_json& stretch : result["stretches"]) {
      for (const char* key : {"accelerators", "collectives", "channels", "statistics", "profile"})
        stretch.erase(key);
    }
  }
  return result;
}

ordered_json explanations() {
  ordered_json fields = ordered_json::object();
  for (const system::ResultField& field : system::result_fields()) {
    fields[std::string(field.path)] =
        ordered_json::array({std::string(field.unit), std::string(field.summary)});
  }
  return fields;
}

}  // namespace coppice::app
