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

// The properties of a collective that determine its protocol.
struct ProtocolQuery {
  std::string operation;  // the collective's name, or "send"
  Bytes bytes = 0;
  int ranks = 0;
};

// A protocol for a collective's messages: one of system.ni.protocols, or nullopt for none.
struct ProtocolChoice {
  std::optional<schedule::Protocol> protocol;
  std::function<bool(std::string_view)> serves;  // whether an algorithm may use it
};

// The applicable choices: first each protocol, for the algorithms that it lists (all if it lists none); then
// no protocol, for the remaining algorithms.
std::vector<ProtocolChoice> protocol_choices(const config::SystemConfig& system, const ProtocolQuery& query);

// The time from the call of a collective until its first entry may issue: its protocol's launch time; the
// system's if it uses no protocol; the shortest of all if its protocol has not been chosen yet.
Femtoseconds launch_of(const config::SystemConfig& system, const schedule::Schedule& schedule);

// A compiled schedule and its expected time, without the launch.
struct TimedSchedule {
  schedule::Schedule schedule;
  std::vector<schedule::ExpectedTime>
      expected{};  // all candidates; includes the launch once a protocol is chosen
  Femtoseconds time = 0;
};

// Compiles `algorithm` for every choice that serves it (for every protocol if `algorithm` is empty or chooses
// among algorithms; if none of these applies, for the choice without a protocol), and returns the fastest
// schedule by expected time plus launch: the protocol's, or `launch` without one. `compile` receives the
// choice and whether the expected time matters; its UnsupportedError is rethrown only if every choice fails.
TimedSchedule choose_protocol(const std::vector<ProtocolChoice>& choices, Femtoseconds launch,
                              const std::string& algorithm,
                              const std::function<TimedSchedule(const ProtocolChoice&, bool timed)>& compile);

}  // namespace coppice::system
