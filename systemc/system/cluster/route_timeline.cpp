#include "system/cluster/route_timeline.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace coppice::system {
namespace {

constexpr int kController = 0;

int track_of(std::size_t job) {
  return static_cast<int>(job) + 1;
}

}  // namespace

RouteTimeline::RouteTimeline(TraceWriter* trace, const std::vector<std::string>& jobs)
    : trace_(trace), phases_(jobs.size()) {
  if (trace_ == nullptr) return;
  trace_->name_actor(kController, "controller");
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    trace_->name_actor(track_of(j), fmt::format("job {} ({})", j, jobs[j]));
  }
}

void RouteTimeline::note(Femtoseconds time, const std::string& event, std::optional<std::size_t> job,
                         const nlohmann::ordered_json& details) {
  nlohmann::ordered_json entry{
      {"time_s", static_cast<double>(time) / static_cast<double>(kFemtosecondsPerSecond)}, {"event", event}};
  if (job) entry["job"] = *job;
  for (const auto& [key, value] : details.items()) entry[key] = value;
  if (trace_ != nullptr) {
    if (job) trace_job(*job, event, time);
    trace_->actor_event(kController, event, entry, time);
  }
  entries_.push_back(std::move(entry));
}

void RouteTimeline::trace_job(std::size_t job, const std::string& event, Femtoseconds time) {
  if (event == "arrival" || event == "all_reduce_ends") change_phase(job, "compute", time);
  if (event == "departure") change_phase(job, "", time);
  if (event == "all_reduce_starts") {
    change_phase(job, fmt::format("all-reduce {}", ++phases_[job].iteration), time);
  }
}

void RouteTimeline::change_phase(std::size_t job, const std::string& name, Femtoseconds time) {
  Phase& phase = phases_[job];
  if (!phase.name.empty()) trace_->actor_phase(track_of(job), phase.name, phase.since, time);
  phase.name = name;
  phase.since = time;
}

nlohmann::ordered_json RouteTimeline::to_json() const {
  nlohmann::ordered_json sorted(entries_);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a["time_s"].template get<double>() < b["time_s"].template get<double>();
  });
  return sorted;
}

}  // namespace coppice::system
