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

// One of system.ni.protocols for a collective's messages, or nullopt to send them without a protocol.
struct ProtocolChoice {
  std::optional<schedule::Protocol> protocol;
  std::function<bool(std::string_view)> serves;  // whether an algorithm may use it
};

// The applicable choices: first the protocols, each of which serves the algorithms that it lists (all
// algorithms if it lists none). The last choice uses no protocol and serves the remaining algorithms.
std::vector<ProtocolChoice> protocol_choices(const config::SystemConfig& system, const ProtocolQuery& query);

// The time from the call of a collective until its first entry may issue. This is the launch time of its
// protocol or, if it uses no protocol, that of the system. If the protocol has not been chosen yet, it is the
// shortest of all these launch times.
Femtoseconds launch_of(const config::SystemConfig& system, const schedule::Schedule& schedule);

// A compiled schedule and its expected time, without the launch.
struct TimedSchedule {
  schedule::Schedule schedule;
  // All candidates; their times include the launch once a protocol is chosen.
  std::vector<schedule::ExpectedTime> expected{};
  Femtoseconds time = 0;
};

// Compiles `algorithm` for every choice that serves it, and returns the schedule with the shortest sum of
// expected time and launch, where `launch` applies to the choice without a protocol. If `algorithm` is empty
// or chooses among algorithms, tries every protocol, and compiles without a protocol only if none applies.
// `compile` is passed the choice and whether the expected time matters; its UnsupportedError is rethrown only
// if every choice fails.
TimedSchedule choose_protocol(const std::vector<ProtocolChoice>& choices, Femtoseconds launch,
                              const std::string& algorithm,
                              const std::function<TimedSchedule(const ProtocolChoice&, bool timed)>& compile);

}  // namespace coppice::system
