#pragma once

#include <chrono>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Measures what a simulation costs on the computer that runs it, for the `simulator` section of a result.
class CostMeter {
 public:
  CostMeter();
  // Returns the times since construction (wall_s and user_s), flit_hops_per_s (per second of user CPU time),
  // the process's peak_rss_bytes, and the number of threads.
  nlohmann::ordered_json to_json(std::int64_t flit_hops, int threads = 1) const;

 private:
  std::chrono::steady_clock::time_point wall_start_;
  double user_start_;
};

// The CPU time of this process, including all its threads, in seconds.
double cpu_seconds();

}  // namespace coppice::system
