#pragma once

#include <chrono>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace coppice::system {

// The cost of a simulation to its host: the "simulator" object of a result.
class CostMeter {
 public:
  CostMeter();
  // wall_s, user_s and flit_hops_per_s (per user CPU second) since construction; peak_rss_bytes of the
  // process; the number of threads in which it ran.
  nlohmann::ordered_json to_json(std::int64_t flit_hops, int threads = 1) const;

 private:
  std::chrono::steady_clock::time_point wall_start_;
  double user_start_;
};

// CPU time of this process with all its threads, in seconds, independent of other load.
double cpu_seconds();

}  // namespace coppice::system
