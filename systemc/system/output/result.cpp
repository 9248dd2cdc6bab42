#include "system/output/result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "config/loader.h"
#include "schedule/tables/alike_entries.h"
#include "system/machine/build.h"
#include "system/output/dimension_activity.h"
#include "system/output/leaps.h"
#include "system/output/link_utilization.h"
#include "system/output/possible.h"
#include "system/output/result_frame.h"

namespace coppice::system {
namespace {

nlohmann::ordered_json rounded(std::vector<double> parts) {
  constexpr double kPlaces = 1e4;
  for (double& part : parts) part = std::round(part * kPlaces) / kPlaces;
  return parts;
}

// The load of each dimension of a hierarchy, and its activity over time. The bandwidth is an accelerator's
// in the dimension, all links together; its use counts data, not heads.
nlohmann::ordered_json dimensions_of(const Measured& measured) {
  const topology::Topology& topology = measured.topology;
  const auto out = topology.out_channels(0);
  const auto& kinds = topology.dimension_kinds();
  std::vector<double> bandwidths(kinds.size(), 0);
  for (const topology::ChannelId id : out) {
    const topology::Channel& channel = topology.channel(id);
    bandwidths[static_cast<std::size_t>(channel.dimension)] += channel.bandwidth.gb_per_s();
  }
  std::vector<Bytes> bytes(kinds.size(), 0);
  schedule::for_each_alike_entry(
      measured.schedule, [&](topology::NodeId node, const schedule::TableEntry& entry, std::int64_t count) {
        if (entry.route < 0 || !topology.is_accelerator(node)) return;
        // Accelerators that a message passes send it on.
        topology::NodeId at = node;
        for (const topology::Hop& hop : measured.schedule.routes[static_cast<std::size_t>(entry.route)]) {
          const auto channels = topology.out_channels(at);
          if (hop.out_port >= channels.size()) break;
          const topology::Channel& channel = topology.channel(channels[hop.out_port]);
          if (topology.is_accelerator(at)) {
            bytes[static_cast<std::size_t>(channel.dimension)] += count * entry.bytes;
          }
          at = channel.dst;
        }
      });
  const double time_ns = static_cast<double>(measured.cycles) * static_cast<double>(measured.period) /
                         static_cast<double>(kFemtosecondsPerNanosecond);
  auto list = nlohmann::ordered_json::array();
  for (std::size_t d = 0; d < kinds.size(); ++d) {
    const double each = static_cast<double>(bytes[d]) / topology.num_accelerators();
    list.push_back({{"kind", topology::to_string(kinds[d])},
                    {"size", topology.dims()[d]},
                    {"bandwidth_gb_s", bandwidths[d]},
                    {"bytes_per_accelerator", each},
                    {"utilization", time_ns > 0 ? each / bandwidths[d] / time_ns : 0.0}});
    if (measured.activity == nullptr) continue;
    const Femtoseconds end = measured.cycles * measured.period;
    list.back()["activity"] = rounded(measured.activity->active(d, end));
    list.back()["busy"] = rounded(measured.activity->busy(d, end));
  }
  return list;
}

// Windows' parts have four digits.
constexpr double kPartRounding = 1e-4;

// What no machine can do.
void require_possible(const nlohmann::ordered_json& result, const LeastTime& least) {
  const double time_ns = result["time_ns"].get<double>();
  if (time_ns < least.ns() * (1 - kRatioRounding)) {
    throw ModelError(
        fmt::format("the run took {} ns, but no schedule of the collective can take less than {} ns: the "
                    "model is at fault",
                    time_ns, least.ns()));
  }
  require_part("link_utilization.max", result["link_utilization"]["max"].get<double>());
  if (!result.contains("dimensions")) return;
  for (std::size_t d = 0; d < result["dimensions"].size(); ++d) {
    const nlohmann::ordered_json& dimension = result["dimensions"][d];
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

double bus_factor(const schedule::Schedule& schedule, int accelerators) {
  const std::string name = schedule::collective_name(schedule);
  if (name == "broadcast" || name == "reduce") return 1;
  const double part = static_cast<double>(accelerators - 1) / accelerators;
  return schedule.collective == schedule::Collective::kAllReduce ? 2 * part : part;
}

nlohmann::ordered_json make_result(const Measured& measured) {
  const double time_ns = static_cast<double>(measured.cycles) * static_cast<double>(measured.period) /
                         static_cast<double>(kFemtosecondsPerNanosecond);
  const double algbw = time_ns > 0 ? static_cast<double>(measured.schedule.size) / time_ns : 0;
  nlohmann::ordered_json json = begin_result("coppice.result/1", measured.config);
  json["verified"] = measured.verified;
  if (measured.checked.elements > 0) {
    json["verified_sample"] = {{"elements", measured.checked.elements}, {"of", measured.checked.of}};
  }
  json["fidelity"] = measured.fidelity;
  json["contention_free"] = measured.report.contention_free;
  json["steps"] = measured.schedule.steps;
  if (measured.schedule.chunks > 0) json["chunks"] = measured.schedule.chunks;
  json["cycles"] = measured.cycles;
  json["time_ns"] = time_ns;
  json["algbw_gb_s"] = algbw;
  json["busbw_gb_s"] = algbw * bus_factor(measured.schedule, measured.topology.num_accelerators());
  json["bound"] = {{"time_ns", measured.least.bandwidth.ns()},
                   {"latency_ns", measured.least.latency_ns},
                   {"groups", measured.least.bandwidth.groups}};
  json["efficiency"] = time_ns > 0 ? measured.least.ns() / time_ns : 1.0;
  json["flits"] = measured.statistics.flits_injected;
  json["flit_hops"] = measured.statistics.flit_hops;
  json["link_utilization"] = link_utilization(measured.config.system, measured.topology, measured.statistics,
                                              measured.cycles * measured.period);
  if (!measured.topology.dimension_kinds().empty()) json["dimensions"] = dimensions_of(measured);
  if (measured.activity != nullptr) {
    json["window_ns"] =
        static_cast<double>(measured.activity->window()) / static_cast<double>(kFemtosecondsPerNanosecond);
  }
  json["ni_overhead"] =
      schedule::to_json(ni_overhead(measured.config.system, measured.topology, measured.schedule));
  json["time_breakdown_cycles"] = measured.time_breakdown;
  require_possible(json, measured.least);
  return json;
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
  }
  result["chosen"] = expected.front().algorithm;
  result["expected"] = std::move(list);
}

std::string summarize(const nlohmann::ordered_json& result) {
  const auto& collective = result["config"]["collective"];
  std::string text =
      fmt::format("{} of {} by {}: {} cycles, {:.1f} ns in {} steps ({} fidelity, verified: {})\n",
                  collective["op"].get<std::string>(), collective["size"].get<std::string>(),
                  collective["algorithm"].get<std::string>(), result["cycles"].get<Cycles>(),
                  result["time_ns"].get<double>(), result["steps"].get<int>(),
                  result["fidelity"].get<std::string>(), result["verified"].get<std::string>());
  if (result.contains("fidelity_reason")) {
    text += fmt::format("  {}: {}\n", describe_flits(result), result["fidelity_reason"].get<std::string>());
  }
  text += fmt::format("  algorithm bandwidth {:.2f} GB/s, bus bandwidth {:.2f} GB/s\n",
                      result["algbw_gb_s"].get<double>(), result["busbw_gb_s"].get<double>());
  const nlohmann::ordered_json& bound = result["bound"];
  text += fmt::format("  least possible time {:.1f} ns: efficiency {:.1f}%\n",
                      std::max(bound["time_ns"].get<double>(), bound["latency_ns"].get<double>()),
                      100 * result["efficiency"].get<double>());
  text += fmt::format("  link utilization {:.1f}% mean, {:.1f}% max\n",
                      100 * result["link_utilization"]["mean"].get<double>(),
                      100 * result["link_utilization"]["max"].get<double>());
  std::size_t number = 0;
  for (const auto& dimension : result.value("dimensions", nlohmann::ordered_json::array())) {
    text +=
        fmt::format("  dimension {}, {} of {}: {:.1f}% of {:.0f} GB/s used\n", number++,
                    dimension["kind"].get<std::string>(), dimension["size"].get<int>(),
                    100 * dimension["utilization"].get<double>(), dimension["bandwidth_gb_s"].get<double>());
  }
  text += "  where the time of a network-interface port went, in cycles (mean over ports):\n";
  const double total = std::max(1.0, result["cycles"].get<double>());
  for (const auto& [part, cycles] : result["time_breakdown_cycles"].items()) {
    text += fmt::format("    {:<14} {:>12.1f}  {:>5.1f}%\n", part, cycles.get<double>(),
                        100 * cycles.get<double>() / total);
  }
  const auto& simulator = result["simulator"];
  text +=
      fmt::format("  simulated {} flit-hops{} in {:.2f} s ({:.1f} million per CPU second, {:.0f} MiB)\n",
                  result["flit_hops"].get<std::int64_t>(), result["fidelity"] == "train" ? " as trains" : "",
                  simulator["wall_s"].get<double>(), simulator["flit_hops_per_s"].get<double>() * 1e-6,
                  simulator["peak_rss_bytes"].get<double>() / 1048576.0);
  return text;
}

}  // namespace coppice::system
