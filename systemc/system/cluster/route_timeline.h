#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "system/output/trace_writer.h"

namespace coppice::system {

// Records the events of jobs and of the controller in the order of simulated time, for the result's
// `timeline` and for a trace. The trace has one track per job, which shows when the job computes and
// all-reduces, and one track for the controller, which shows requests, answers, fall-backs and failures.
class RouteTimeline {
 public:
  // `trace`, if not nullptr, must outlive the timeline. `jobs`: one name per job.
  RouteTimeline(TraceWriter* trace, const std::vector<std::string>& jobs);

  // Records an event. The times of each job's events, and of the controller's, must not decrease.
  void note(Femtoseconds time, const std::string& event, std::optional<std::size_t> job,
            const nlohmann::ordered_json& details = {});

  // A list of {time_s, event, job, details...}.
  nlohmann::ordered_json to_json() const;

 private:
  struct Phase {
    std::string name;  // empty: no phase
    Femtoseconds since = 0;
    int iteration = 0;
  };

  void trace_job(std::size_t job, const std::string& event, Femtoseconds time);
  void change_phase(std::size_t job, const std::string& name, Femtoseconds time);

  TraceWriter* trace_;
  std::vector<Phase> phases_;  // [job]: its current phase
  std::vector<nlohmann::ordered_json> entries_;
};

}  // namespace coppice::system
