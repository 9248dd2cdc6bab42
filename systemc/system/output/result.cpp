#include "system/output/result.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "system/output/possible.h"

namespace coppice::system {
namespace {

// The fractions of windows have been rounded to four digits.
constexpr double kPartRounding = 1e-4;

void require_possible_dimensions(const nlohmann::ordered_json& dimensions) {
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const nlohmann::ordered_json& dimension = dimensions[d];
    const std::string name = fmt::format("dimensions[{}].", d);
    require_part(name + "utilization", dimension["utilization"].get<double>());
    for (const char* quantity : {"activity", "busy"}) {
      if (!dimension.contains(quantity)) continue;
      for (const auto& part : dimension[quantity]) {
        require_part(name + quantity, part.get<double>(), kPartRounding);
      }
    }
  }
}

}  // namespace

void require_possible(const nlohmann::ordered_json& result, double least_ns) {
  const double time_ns = result["time_ns"].get<double>();
  if (time_ns < least_ns * (1 - kRatioRounding)) {
    throw ModelError(fmt::format(
        "the run took {} ns, which is less than the lower bound of {} ns: this is a bug in the model",
        time_ns, least_ns));
  }
  if (result.contains("link_utilization")) {
    require_part("link_utilization.max", result["link_utilization"]["max"].get<double>());
  }
  for (const auto& collective : result.value("collectives", nlohmann::ordered_json::array())) {
    if (!collective.contains("efficiency")) continue;
    require_part(fmt::format("efficiency of '{}'", collective["name"].get<std::string>()),
                 collective["efficiency"].get<double>());
  }
  if (result.contains("dimensions")) require_possible_dimensions(result["dimensions"]);
}

double bus_factor(workload::CollectiveOp op, int accelerators) {
  using workload::CollectiveOp;
  if (rooted(op)) return 1;
  const double part = static_cast<double>(accelerators - 1) / accelerators;
  return op == CollectiveOp::kAllReduce ? 2 * part : part;
}

void write_choice(const std::vector<schedule::ExpectedTime>& expected, nlohmann::ordered_json& result) {
  if (expected.empty()) return;
  auto list = nlohmann::ordered_json::array();
  for (const schedule::ExpectedTime& one : expected) {
    nlohmann::ordered_json chunks = one.chunks;
    if (one.chunks == schedule::kAutomaticChunks) chunks = "auto";
    list.push_back({{"algorithm", one.algorithm},
                    {"chunks", chunks},
                    {"time_ns", static_cast<double>(one.time) / kFemtosecondsPerNanosecond}});
    if (!one.protocol.empty()) list.back()["protocol"] = one.protocol;
    if (!one.chunk_policy) continue;
    list.back()["scheduler"] = to_string(one.chunk_policy->scheduler);
    for (const schedule::DimensionMethod method : one.chunk_policy->methods) {
      list.back()["dimension_algorithms"].push_back(to_string(method));
    }
  }
  result["chosen"] = expected.front().algorithm;
  result["expected"] = std::move(list);
}

}  // namespace coppice::system
