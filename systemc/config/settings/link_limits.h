#pragma once

#include <string>

#include "config/settings/config.h"

namespace coppice::config {

// The model keeps a slot per cycle of the longest latency.
inline constexpr Cycles kLongestLatency = 1 << 20;

// Why a channel of that bandwidth cannot be simulated, and settings that it can be simulated with and that do
// not slow it down; empty if it can. A channel moves a flit per cycle at most.
std::string bandwidth_objection(const SystemConfig& system, Bandwidth bandwidth);

// The same of a latency: the model keeps a slot per cycle of the longest.
std::string latency_objection(const SystemConfig& system, Femtoseconds latency);

// The flit, the present one or that times a power of two, of which a cycle carries `bandwidth`; 0 if none is
// wide enough.
Bytes carrying_flit(const SystemConfig& system, Bandwidth bandwidth);

// A payload of whole flits that spends at most a flit in 17 on packet heads.
Bytes usual_payload(Bytes flit);

}  // namespace coppice::config
