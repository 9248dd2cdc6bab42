#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/settings/config.h"

namespace coppice::config {

inline constexpr Bytes kWidestFlit = 4096;
// The model keeps a slot per cycle of the longest latency.
inline constexpr Cycles kLongestLatency = 1 << 20;

// The value of `level` in a list with one for every level, or one for all of them.
template <typename Value>
const Value& of_level(const std::vector<Value>& values, std::size_t level) {
  return values.size() == 1 ? values.front() : values.at(level);
}

// Why a channel of that bandwidth cannot be simulated, and settings that it can be simulated with and that do
// not slow it down; empty if it can. A channel moves a flit per cycle at most.
std::string bandwidth_objection(const SystemConfig& system, Bandwidth bandwidth);

// Cycles from when a flit wins the switch before a link of `bandwidth` and `latency` until its place in the
// next router is known free again, if it leaves that router at once.
Cycles credit_loop(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency);

// Cycles from a flit's departure from a router until its last bit has arrived over a link: the link's
// latency, plus the part of the flit time beyond one cycle. Credits take the latency alone.
Cycles flit_latency(const SystemConfig& system, Bandwidth bandwidth, Femtoseconds latency);

// Flit time of a link of `bandwidth`, in time of the model's clock: a link of one flit in k cycles has k
// periods exactly, also where the period is rounded to a femtosecond.
Femtoseconds link_flit_time(const SystemConfig& system, Bandwidth bandwidth);

// The objection to a latency: the model keeps one slot per cycle of the longest latency.
std::string latency_objection(const SystemConfig& system, Femtoseconds latency);

// The flit, the present one or that times a power of two, of which a cycle carries `bandwidth`; 0 if none is
// wide enough.
Bytes carrying_flit(const SystemConfig& system, Bandwidth bandwidth);

// A payload of whole flits that spends at most a flit in 17 on packet heads.
Bytes usual_payload(Bytes flit);

}  // namespace coppice::config
