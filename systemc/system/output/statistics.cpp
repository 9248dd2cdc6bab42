#include "system/output/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/statistics.h"
#include "system/output/result_file.h"

namespace coppice::system {
namespace {

// Visits an object, then its children, and then the modules that it represents.
void walk(const sc_core::sc_object& object, const Representative::Reader& read) {
  if (const auto* owner = dynamic_cast<const StatisticsOwner*>(&object)) {
    owner->read_statistics(
        [&](const Quantity& quantity, double value) { read(object.name(), quantity, value); });
  }
  for (const sc_core::sc_object* child : object.get_child_objects()) walk(*child, read);
  if (const auto* representative = dynamic_cast<const Representative*>(&object)) {
    representative->read_represented(read);
  }
}

// Returns a whole number as an integer, so that it is printed without a decimal point.
nlohmann::ordered_json number(double value) {
  // 2^53, the largest double below which every integer is exact.
  constexpr double kExact = 9007199254740992.0;
  if (value == std::floor(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

nlohmann::ordered_json collect_statistics(const sc_core::sc_object& top) {
  struct Sum {
    double sum = 0;
    double max = 0;
  };
  struct Kind {
    std::int64_t modules = 0;
    std::string last;  // name of the last module
    std::vector<std::pair<std::string_view, Sum>> sums;
  };
  std::vector<std::string_view> names;
  std::map<std::string_view, Kind> kinds;
  walk(top, [&](std::string_view module, const Quantity& quantity, double value) {
    Kind& kind = kinds[quantity.module];
    if (kind.modules == 0) names.push_back(quantity.module);
    if (kind.last != module) {
      ++kind.modules;
      kind.last = module;
    }
    auto& own = kind.sums;
    auto found = std::ranges::find(own, quantity.name, [](const auto& named) { return named.first; });
    if (found == own.end()) found = own.insert(own.end(), {quantity.name, {}});
    found->second.sum += value;
    found->second.max = std::max(found->second.max, value);
  });
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const std::string_view module : names) {
    const Kind& kind = kinds[module];
    nlohmann::ordered_json& own = json[std::string(module)];
    own["modules"] = kind.modules;
    for (const auto& [name, sum] : kind.sums) {
      own[std::string(name)] = {{"sum", number(sum.sum)}, {"max", number(sum.max)}};
    }
  }
  return json;
}

std::string list_statistics(const sc_core::sc_object& top) {
  std::string text = "module,quantity,unit,value\n";
  walk(top, [&](std::string_view module, const Quantity& quantity, double value) {
    text += fmt::format("{},{},{},{}\n", module, quantity.name, quantity.unit, number(value).dump());
  });
  return text;
}

void write_statistics(const std::string& path, const sc_core::sc_object& top) {
  if (!path.empty()) ResultFile("--statistics", path).write(list_statistics(top));
}

std::string describe_statistics(const sc_core::sc_object& top) {
  std::string text;
  std::set<std::pair<std::string_view, std::string_view>> described;
  walk(top, [&](std::string_view /*module*/, const Quantity& quantity, double /*value*/) {
    if (!described.emplace(quantity.module, quantity.name).second) return;
    text += fmt::format("{}\t{}\t{}\t{}\n", quantity.module, quantity.name, quantity.unit, quantity.summary);
  });
  return text;
}

}  // namespace coppice::system
