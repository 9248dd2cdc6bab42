#include "system/cluster/job_statistics.h"

#include <algorithm>

#include "routing/methods.h"
#include "system/process/cost_meter.h"

namespace coppice::system {
namespace {

double seconds(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerSecond);
}

double over(double sum, std::size_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

void JobStatistics::add_flow(Bytes bytes, Femtoseconds time) {
  ++flows_;
  flow_seconds_ += seconds(time);
  if (time > 0) gb_per_second_ += static_cast<double>(bytes) / seconds(time) * 1e-9;
}

nlohmann::ordered_json JobStatistics::to_json(double ideal_s) const {
  double sum = 0;
  nlohmann::ordered_json each = nlohmann::ordered_json::array();
  for (const Femtoseconds time : all_reduces_) {
    sum += seconds(time);
    each.push_back(seconds(time));
  }
  const double mean = over(sum, all_reduces_.size());
  const auto flows = static_cast<std::size_t>(flows_);
  return {{"all_reduce_s", mean},
          {"ideal_s", ideal_s},
          {"slowdown", ideal_s > 0 ? mean / ideal_s : 1.0},
          {"flow_completion_s", over(flow_seconds_, flows)},
          {"throughput_gb_s", over(gb_per_second_, flows)},
          {"iterations_s", each}};
}

void AssignmentStatistics::add(std::size_t flows, const PathAnswer& answer) {
  runs_.emplace_back(flows, answer.seconds);
  load_over_bound_ +=
      answer.lower_bound > 0 ? static_cast<double>(answer.max_load) / answer.lower_bound : 1.0;
  moved_ += answer.moved;
}

nlohmann::ordered_json AssignmentStatistics::to_json() const {
  double sum = 0;
  double longest = 0;
  std::size_t most = 0;
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const auto& [flows, time] : runs_) {
    sum += time;
    longest = std::max(longest, time);
    most = std::max(most, flows);
    runs.push_back({flows, time});
  }
  return {{"assignments", runs_.size()},
          {"most_flows", most},
          {"seconds_mean", over(sum, runs_.size())},
          {"seconds_max", longest},
          {"moved", moved_},
          {"load_over_bound_mean", over(load_over_bound_, runs_.size())},
          {"runs", runs}};
}

nlohmann::ordered_json compare_methods(const routing::ClosLinks& links, std::span<const routing::Flow> flows,
                                       std::uint64_t seed) {
  constexpr std::size_t kSmall = 64;
  constexpr int kRepeats = 5;
  nlohmann::ordered_json methods = nlohmann::ordered_json::array();
  for (const routing::MethodInfo& method : routing::methods()) {
    if (method.name == "ilp" && flows.size() > kSmall) continue;
    const auto assigner = routing::make_assigner(method.name, {.seed = seed});
    routing::Assignment spines;
    double best = 0;
    for (int i = 0; i < kRepeats; ++i) {
      const double start = cpu_seconds();
      spines = assigner->assign(links, flows);
      const double time = cpu_seconds() - start;
      best = i == 0 ? time : std::min(best, time);
    }
    methods.push_back(
        {{"method", method.name}, {"max_load", routing::max_load(links, flows, spines)}, {"seconds", best}});
  }
  return {{"flows", flows.size()}, {"lower_bound", routing::lower_bound(links, flows)}, {"methods", methods}};
}

}  // namespace coppice::system
