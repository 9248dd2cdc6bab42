#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/readable_time.h"
#include "system/output/leaps.h"
#include "system/program/fluid_error.h"
#include "system/program/program_result.h"

namespace coppice::system {
namespace {

// Describes the algorithm that `auto` chose and the next four candidates, with their expected times.
std::string describe_choice(const nlohmann::ordered_json& result) {
  constexpr std::size_t kMostOthers = 4;
  const auto expected = result.value("expected", nlohmann::ordered_json::array());
  if (expected.empty()) return "";
  const auto name = [](const nlohmann::ordered_json& one) {
    const auto& chunks = one["chunks"];
    std::string text = one["algorithm"].get<std::string>();
    if (chunks.is_number() && chunks.get<int>() > 1) text += fmt::format(" in {} chunks", chunks.get<int>());
    if (one.contains("scheduler") && one["scheduler"] != "baseline") {
      text += fmt::format(" by {}", one["scheduler"].get<std::string>());
    }
    if (one.contains("dimension_algorithms")) {
      text += fmt::format(" with [{}]",
                          fmt::join(one["dimension_algorithms"].get<std::vector<std::string>>(), ", "));
    }
    return fmt::format("{}, {}", text, readable_time(one["time_ns"].get<double>()));
  };
  std::string text = fmt::format("  chosen by expected time: {}", name(expected.front()));
  for (std::size_t i = 1; i < std::min(expected.size(), kMostOthers + 1); ++i)
    text += fmt::format("{} {}", i == 1 ? "; instead of" : ";", name(expected[i]));
  if (expected.size() > kMostOthers + 1)
    text += fmt::format("; and {} more", expected.size() - kMostOthers - 1);
  return text + "\n";
}

// Counts the collectives of each algorithm: for example, "packed_trees 12, ring 3".
std::string describe_algorithms(const nlohmann::ordered_json& result) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& one : result["collectives"]) {
    const auto algorithm = one.value("algorithm", "none");
    if (algorithm != "none") counts[algorithm] += one.value("count", std::int64_t{1});
  }
  std::string text;
  for (const auto& [algorithm, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "  collectives by algorithm: " : ", ", algorithm, count);
  return text.empty() ? text : text + "\n";
}

// One line for each kind of operation; empty if no operation has a kind.
std::string exposed_by_kind(const nlohmann::ordered_json& kinds) {
  std::string text;
  for (const auto& [kind, ns] : kinds.items()) {
    if (kind == "other" && kinds.size() == 1) continue;
    const std::string name =
        fmt::format("exposed {} communication", kind == "other" ? "unlabelled" : kind.c_str());
    text += fmt::format("    {:<34} {:>14}\n", name, readable_time(ns.get<double>()));
  }
  return text;
}

std::string summarize_collective(const nlohmann::ordered_json& result) {
  const auto& collective = result["config"]["collective"];
  std::string text =
      fmt::format("{} of {} by {}: {} cycles, {} in {} steps ({} fidelity, verified: {})\n",
                  collective["op"].get<std::string>(), collective["size"].get<std::string>(),
                  collective["algorithm"].get<std::string>(), result["cycles"].get<Cycles>(),
                  readable_time(result["time_ns"].get<double>()), result["steps"].get<int>(),
                  result["fidelity"].get<std::string>(), result["verified"].get<std::string>());
  if (result.contains("fidelity_reason")) {
    text += fmt::format("  {}: {}\n", describe_flits(result), result["fidelity_reason"].get<std::string>());
  }
  text += summarize_fluid_error(result);
  text += describe_choice(result);
  text += fmt::format("  algorithm bandwidth {:.2f} GB/s, bus bandwidth {:.2f} GB/s\n",
                      result["algbw_gb_s"].get<double>(), result["busbw_gb_s"].get<double>());
  const nlohmann::ordered_json& bound = result["bound"];
  text +=
      fmt::format("  lower bound {}: efficiency {:.1f}%, at most {:.1f}% with head flits\n",
                  readable_time(std::max(bound["time_ns"].get<double>(), bound["latency_ns"].get<double>())),
                  100 * result["efficiency"].get<double>(), 100 * bound["attainable"].get<double>());
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
  text += "  how network-interface ports spend their time, in cycles (mean over ports):\n";
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

std::string summarize_program(const nlohmann::ordered_json& result) {
  const auto& program = result["program"];
  std::string text =
      fmt::format("{} operations on {} ranks: {} cycles, {} ({} fidelity, verified: {})\n",
                  program["operations"].get<std::int64_t>(), program["ranks"].get<std::int64_t>(),
                  result["cycles"].get<Cycles>(), readable_time(result["time_ns"].get<double>()),
                  result["fidelity"].get<std::string>(), result["verified"].get<std::string>());
  if (result.contains("fidelity_reason")) {
    text += fmt::format("  {}: {}\n", describe_flits(result), result["fidelity_reason"].get<std::string>());
  }
  text += summarize_fluid_error(result);
  for (const auto& failure : result.value("failures", nlohmann::ordered_json::array())) {
    text += fmt::format("  {}: {} failed: {}\n", readable_time(failure["at_ns"].get<double>()),
                        failure["failed"].get<std::string>(), failure["effect"].get<std::string>());
  }
  for (const auto& job : result.value("jobs", nlohmann::ordered_json::array())) {
    text +=
        fmt::format("  {}: {}\n", job["name"].get<std::string>(),
                    job.contains("unfinished")
                        ? fmt::format("unfinished after {} of {} iterations: {}", job["iterations"].size(),
                                      job["of"].get<int>(), job["unfinished"].get<std::string>())
                        : fmt::format("ended at {}", readable_time(job["end_ns"].get<double>())));
  }
  constexpr std::size_t kMostLines = 8;
  std::size_t number = 0;
  for (const auto& iteration : result["iterations"]) {
    if (number++ == kMostLines) {
      text += fmt::format("  and {} more iterations\n", result["iterations"].size() - kMostLines);
      break;
    }
    const double time = std::max(1e-9, iteration["time_ns"].get<double>());
    const auto part = [&](const char* name) { return 100 * iteration[name].get<double>() / time; };
    text += fmt::format(
        "  iteration {}: {}: {:.1f}% compute, {:.1f}% memory, {:.1f}% exposed "
        "communication, {:.1f}% waiting for others, {:.1f}% idle\n",
        number, readable_time(iteration["time_ns"].get<double>()), part("compute_ns"), part("memory_ns"),
        part("exposed_ns"), part("bubble_ns"), part("idle_ns"));
    text += exposed_by_kind(iteration["exposed"]);
  }
  if (result.contains("inference")) {
    const auto& inference = result["inference"];
    text += fmt::format(
        "  time to the first token {:.3f} ms, per token {:.3f} ms, including {:.3f} ms of exposed "
        "communication\n",
        inference["time_to_first_token_ns"].get<double>() * 1e-6,
        inference["time_per_token_ns"].get<double>() * 1e-6,
        inference["exposed_per_token_ns"].get<double>() * 1e-6);
  }
  if (result.contains("lost")) {
    text += fmt::format("  lost to failures: {}, including {} of computation; down for {}\n",
                        readable_time(result["lost"]["time_ns"].get<double>()),
                        readable_time(result["lost"]["compute_ns"].get<double>()),
                        readable_time(result["down_ns"].get<double>()));
  }
  if (result.contains("bound")) {
    text += fmt::format("  algorithm bandwidth {:.2f} GB/s, bus bandwidth {:.2f} GB/s, efficiency {:.1f}%\n",
                        result["algbw_gb_s"].get<double>(), result["busbw_gb_s"].get<double>(),
                        100 * result["efficiency"].get<double>());
  }
  text += describe_choice(result);
  text += describe_algorithms(result);
  std::int64_t exchanges = 0;
  for (const auto& one : result["collectives"]) exchanges += one.value("count", std::int64_t{1});
  text += fmt::format("  {} collectives and transfers", exchanges);
  if (result.contains("link_utilization")) {
    text += fmt::format(", link utilization {:.1f}% mean, {:.1f}% max",
                        100 * result["link_utilization"]["mean"].get<double>(),
                        100 * result["link_utilization"]["max"].get<double>());
  }
  text += "\n";
  if (result.contains("passes")) {
    const auto& passes = result["passes"];
    text += fmt::format(
        "  {} passes timed by formula, {} simulated tile by tile; network interfaces delayed the latter by "
        "{} "
        "per accelerator\n",
        passes["formula"].get<std::int64_t>(), passes["tiles"].get<std::int64_t>(),
        readable_time(passes["delayed_ns"].get<double>()));
  }
  const auto& simulator = result["simulator"];
  text +=
      fmt::format("  simulated {} flit-hops{} in {:.2f} s ({:.0f} MiB)\n",
                  result["flit_hops"].get<std::int64_t>(), result["fidelity"] == "train" ? " as trains" : "",
                  simulator["wall_s"].get<double>(), simulator["peak_rss_bytes"].get<double>() / 1048576.0);
  return text;
}

}  // namespace

std::string summarize(const nlohmann::ordered_json& result) {
  return result.contains("program") ? summarize_program(result) : summarize_collective(result);
}

}  // namespace coppice::system
