#include "config/settings/link_limits.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace coppice::config {
namespace {

constexpr std::int64_t kClockStep = 100'000'000;  // in Hz
constexpr std::int64_t kFastestClock = 100'000'000'000;
constexpr Bytes kFlitsOfAPacket = 16;  // without the head flit

std::string flit_advice(const SystemConfig& system, Bytes flit) {
  const bool packets = system.ni.flow_control == FlowControl::kPacket;
  const Bytes payload = system.ni.payload;
  if (!packets || (payload % flit == 0 && payload >= usual_payload(flit))) {
    return fmt::format("system.flit to {}", format_bytes(flit));
  }
  return fmt::format("system.flit to {} and system.ni.payload to {}", format_bytes(flit),
                     format_bytes(usual_payload(flit)));
}

// Suggests a clock, a multiple of 100 MHz, that moves enough flits per second; empty if there is no such
// clock.
std::string clock_advice(const SystemConfig& system, Bandwidth bandwidth) {
  std::int64_t steps = bandwidth.bytes_per_second / system.flit / kClockStep;
  for (; steps * kClockStep <= kFastestClock; ++steps) {
    const Frequency clock{steps * kClockStep};
    if (steps > 0 && transfer_time(system.flit, bandwidth) >= clock.period()) {
      return "system.clock to " + format_frequency(clock);
    }
  }
  return "";
}

}  // namespace

Femtoseconds link_flit_time(const SystemConfig& system, Bandwidth bandwidth) {
  __extension__ using Wide = __int128;
  const Wide bytes_per_second = bandwidth.bytes_per_second;
  const Wide scaled = Wide{system.clock.period()} * system.flit * system.clock.hertz;
  return static_cast<Femtoseconds>((scaled + bytes_per_second - 1) / bytes_per_second);
}

namespace {

Cycles whole_cycles(const SystemConfig& system, Femtoseconds time) {
  return (time + system.clock.period() - 1) / system.clock.period();
}

}  // namespace

Cycles flit_latency(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency) {
  const Femtoseconds period = system.clock.period();
  const Femtoseconds flit_time = std::max(period, link_flit_time(system, bandwidth));
  return whole_cycles(system, latency) + (flit_time - 1) / period;
}

Cycles credit_loop(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency) {
  const RouterConfig& router = system.router;
  const Cycles grant = router.sw_alloc_delay - 1;
  const Cycles there = grant + router.st_delay + 1 + flit_latency(system, bandwidth, latency);
  const Cycles stay = router.routing_delay + router.vc_alloc_delay;
  return there + stay + grant + 1 + whole_cycles(system, latency) + router.credit_delay;
}

Bytes carrying_flit(const SystemConfig& system, Bandwidth bandwidth) {
  Bytes flit = system.flit;
  while (flit <= kWidestFlit && transfer_time(flit, bandwidth) < system.clock.period()) flit *= 2;
  return flit <= kWidestFlit ? flit : 0;
}

Bytes usual_payload(Bytes flit) {
  return kFlitsOfAPacket * flit;
}

std::string bandwidth_objection(const SystemConfig& system, Bandwidth bandwidth) {
  if (transfer_time(system.flit, bandwidth) >= system.clock.period()) return "";
  std::vector<std::string> advice;
  if (const Bytes flit = carrying_flit(system, bandwidth); flit > 0)
    advice.push_back(flit_advice(system, flit));
  if (const std::string clock = clock_advice(system, bandwidth); !clock.empty()) advice.push_back(clock);
  return fmt::format(
      "{} exceeds one flit of {} per cycle at {}: {}", format_bandwidth(bandwidth), format_bytes(system.flit),
      format_frequency(system.clock),
      advice.empty() ? "lower the bandwidth" : fmt::format("set {}", fmt::join(advice, ", or ")));
}

std::string latency_objection(const SystemConfig& system, Femtoseconds latency) {
  const Cycles cycles = latency / system.clock.period();
  if (cycles <= kLongestLatency) return "";
  return fmt::format("{} is {} cycles at {}: at most {} cycles can be simulated, which is {}",
                     format_duration(latency), cycles, format_frequency(system.clock), kLongestLatency,
                     format_duration(kLongestLatency * system.clock.period()));
}

}  // namespace coppice::config
