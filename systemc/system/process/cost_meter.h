#pragma once

#include <chrono>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Measures the cost of a simulation on its host: the "simulator" object of a result.
class CostMeter {
 public:
  CostMeter();
  // Returns wall_s, user_s and flit_hops_per_s (per second of user CPU time) since construction,
  // peak_rss_bytes of the process, and the number of threads.
  nlohmann::ordered_json to_json(std::int64_t flit_hops, int threads = 1) const;

 private:
  std::chrono::steady_clock::time_point wall_start_;
  double user_start_;
};

// CPU time of this process and all its threads, in seconds.
double cpu_seconds();

}  // namespace coppice::system
