#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "routing/instance.h"
#include "system/cluster/path_controller.h"

namespace coppice::system {

// Collects the times of a job's all-reduces and flows; the metrics are those of "Routing for Large ML
// Models", Sec. 5.1.
class JobStatistics {
 public:
  void add_all_reduce(Femtoseconds time) { all_reduces_.push_back(time); }
  // Adds a flow, which is one message; `time` is from the injection of its head to the ejection of its tail.
  void add_flow(Bytes bytes, Femtoseconds time);

  // Returns all_reduce_s (mean over iterations), ideal_s, slowdown, flow_completion_s, throughput_gb_s (means
  // over flows) and iterations_s.
  nlohmann::ordered_json to_json(double ideal_s) const;

 private:
  std::vector<Femtoseconds> all_reduces_;
  std::int64_t flows_ = 0;
  double flow_seconds_ = 0;
  double gb_per_second_ = 0;  // sum over flows
};

// The cost of the controller's assignments, and how close their loads are to the lower bound.
class AssignmentStatistics {
 public:
  void add(std::size_t flows, const PathAnswer& answer);
  nlohmann::ordered_json to_json() const;

 private:
  std::vector<std::pair<std::size_t, double>> runs_;  // (flows, seconds)
  double load_over_bound_ = 0;                        // sum
  std::size_t moved_ = 0;
};

// Assigns all `flows` together by every method. Returns the lower bound on the load, and each method's
// largest load and CPU time (the shortest of 5 runs). Omits the integer program if there are more than 64
// flows.
nlohmann::ordered_json compare_methods(const routing::ClosLinks& links, std::span<const routing::Flow> flows,
                                       std::uint64_t seed);

}  // namespace coppice::system
