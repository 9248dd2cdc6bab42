#include "system/process/cost_meter.h"

#include <sys/resource.h>
#include <ctime>

namespace coppice::system {
namespace {

rusage usage() {
  rusage result{};
  getrusage(RUSAGE_SELF, &result);
  return result;
}

double user_seconds() {
  const rusage now = usage();
  return static_cast<double>(now.ru_utime.tv_sec) + static_cast<double>(now.ru_utime.tv_usec) * 1e-6;
}

}  // namespace

CostMeter::CostMeter() : wall_start_(std::chrono::steady_clock::now()), user_start_(user_seconds()) {}

nlohmann::ordered_json CostMeter::to_json(std::int64_t flit_hops, int threads) const {
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start_;
  const double user = user_seconds() - user_start_;
  constexpr std::int64_t kBytesPerKibibyte = 1024;
  return {{"wall_s", wall.count()},
          {"user_s", user},
          {"flit_hops_per_s", user > 0 ? static_cast<double>(flit_hops) / user : 0.0},
          {"peak_rss_bytes", usage().ru_maxrss * kBytesPerKibibyte},
          {"threads", threads}};
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace coppice::system
