#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/settings/config.h"

namespace coppice::config {

inline constexpr Bytes kWidestFlit = 4096;
// In cycles. The limit exists because the model allocates a slot for each cycle of the longest latency.
inline constexpr Cycles kLongestLatency = 1 << 20;

// The value for `level` in a list that contains one value per level, or one value for all levels.
template <typename Value>
const Value& of_level(const std::vector<Value>& values, std::size_t level) {
  return values.size() == 1 ? values.front() : values.at(level);
}

// Why a channel with this bandwidth cannot be simulated, and settings with which it can be simulated at full
// speed; empty if it can be simulated. A channel moves at most one flit per cycle.
std::string bandwidth_objection(const SystemConfig& system, Bandwidth bandwidth);

// The length of a credit loop in cycles. The loop begins when a flit is granted the switch, and ends when the
// credit for its slot in the next router has returned over the link of `bandwidth` and `latency`. It is
// assumed that the flit leaves the next router as soon as possible.
Cycles credit_loop(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency);

// The number of cycles between a flit's departure from a router and the arrival of its last bit at the end of
// a link: the link's latency, plus the part of the flit time that exceeds one cycle. Credits take only the
// latency.
Cycles flit_latency(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency);

// The time that a link of `bandwidth` needs to send a flit, measured by the model's clock. If this is exactly
// k cycles, the result is exactly k periods, although a period is rounded to a femtosecond.
Femtoseconds link_flit_time(const SystemConfig& system, Bandwidth bandwidth);

// Why a link with this latency cannot be simulated; empty if it can be simulated.
std::string latency_objection(const SystemConfig& system, Femtoseconds latency);

// The smallest flit size at which one flit per cycle carries `bandwidth`. It is the current size times a
// power of two; 0 if no size is sufficient.
Bytes carrying_flit(const SystemConfig& system, Bandwidth bandwidth);

// A payload that is a whole number of flits, and so large that at most one flit in 17 is a packet head.
Bytes usual_payload(Bytes flit);

}  // namespace coppice::config
