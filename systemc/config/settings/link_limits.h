#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/settings/config.h"

namespace coppice::config {

inline constexpr Bytes kWidestFlit = 4096;
// In cycles: the model allocates a slot for each cycle of the longest latency.
inline constexpr Cycles kLongestLatency = 1 << 20;

// The value of `level` in a list with one value per level, or one value for all levels.
template <typename Value>
const Value& of_level(const std::vector<Value>& values, std::size_t level) {
  return values.size() == 1 ? values.front() : values.at(level);
}

// The reason why a channel with this bandwidth cannot be simulated, and settings with which it can be at full
// speed; empty if it can be simulated. A channel moves at most one flit per cycle.
std::string bandwidth_objection(const SystemConfig& system, Bandwidth bandwidth);

// Cycles from the switch grant of a flit that crosses a link of `bandwidth` and `latency` until the credit
// for its slot in the next router has returned, if the flit leaves that router immediately.
Cycles credit_loop(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency);

// Cycles from a flit's departure from a router until its last bit has arrived over a link: the link's
// latency, plus the part of the flit time beyond one cycle. Credits arrive after the latency alone.
Cycles flit_latency(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency);

// Flit time of a link of `bandwidth`, in the model's clock: a link that sends one flit in k cycles takes
// exactly k periods per flit, although a period is rounded to a femtosecond.
Femtoseconds link_flit_time(const SystemConfig& system, Bandwidth bandwidth);

// The reason why a latency cannot be simulated; empty if it can be simulated.
std::string latency_objection(const SystemConfig& system, Femtoseconds latency);

// The smallest flit size, the current size times a power of two, at which one flit per cycle carries
// `bandwidth`; 0 if no size is sufficient.
Bytes carrying_flit(const SystemConfig& system, Bandwidth bandwidth);

// A payload of whole flits with which at most one flit in 17 is a packet head.
Bytes usual_payload(Bytes flit);

}  // namespace coppice::config
