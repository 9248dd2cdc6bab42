#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings/loaded.h"
#include "schedule/automatic/automatic.h"
#include "schedule/tables/schedule.h"

namespace coppice::system {

// The properties of a collective by which its protocol is chosen.
struct ProtocolQuery {
  std::string operation;  // or "send"
  Bytes bytes = 0;
  int ranks = 0;
};

// A protocol for a collective's messages: one of system.ni.protocols, or nullopt for none.
struct ProtocolChoice {
  std::optional<schedule::Protocol> protocol;
  std::function<bool(std::string_view)> serves;  // whether an algorithm may use it
};

// The applicable choices: each protocol for the algorithms that it lists (all if it lists none), and no
// protocol for the remaining algorithms.
std::vector<ProtocolChoice> protocol_choices(const config::SystemConfig& system, const ProtocolQuery& query);

// The time from the call of a collective until its first entry may issue: that of its protocol, the system's
// if it has none, or the shortest if a protocol is still to be chosen for it.
Femtoseconds launch_of(const config::SystemConfig& system, const schedule::Schedule& schedule);

// A compiled schedule, and its expected time without its launch.
struct TimedSchedule {
  schedule::Schedule schedule;
  std::vector<schedule::ExpectedTime> expected{};  // all candidates, including the launch once one is chosen
  Femtoseconds time = 0;
};

// Compiles `algorithm` for every choice that serves it (for every protocol, if no algorithm is named or it
// chooses among others), and keeps the fastest by its expected time plus `launch`, or the protocol's own
// launch. `compile` receives the choice and whether the time matters; it throws UnsupportedError if nothing
// applies, which is rethrown only if no choice applies.
TimedSchedule choose_protocol(const std::vector<ProtocolChoice>& choices, Femtoseconds launch,
                              const std::string& algorithm,
                              const std::function<TimedSchedule(const ProtocolChoice&, bool timed)>& compile);

}  // namespace coppice::system
