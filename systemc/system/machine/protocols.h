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

// A collective as protocols are chosen for it.
struct ProtocolQuery {
  std::string operation;  // or "send"
  Bytes bytes = 0;
  int ranks = 0;
};

// A way to send the messages of a collective: by one of system.ni.protocols, or by none.
struct ProtocolChoice {
  std::optional<schedule::Protocol> protocol;
  std::function<bool(std::string_view)> serves;  // an algorithm
};

// The ways that apply: each protocol for the algorithms that it names, all if it names none, and no protocol
// for the algorithms that are left.
std::vector<ProtocolChoice> protocol_choices(const config::SystemConfig& system, const ProtocolQuery& query);

// From the call of a collective until its first entry may issue: its protocol's, the system's if it has none,
// or the shortest that there is if a protocol is still to be chosen for it.
Femtoseconds launch_of(const config::SystemConfig& system, const schedule::Schedule& schedule);

// A schedule that was compiled, and the time that it should take without its launch.
struct TimedSchedule {
  schedule::Schedule schedule;
  std::vector<schedule::ExpectedTime> expected{};  // of all that were compared, with the launch once chosen
  Femtoseconds time = 0;
};

// Compiles `algorithm` for every choice that serves it, or what an algorithm chooses, if none is named, for
// every protocol that there is, and keeps the fastest by its time and `launch`, or the protocol's own.
// `compile` gets the choice and whether the time counts; it throws UnsupportedError where nothing applies,
// which is thrown on only if no choice applies.
TimedSchedule choose_protocol(const std::vector<ProtocolChoice>& choices, Femtoseconds launch,
                              const std::string& algorithm,
                              const std::function<TimedSchedule(const ProtocolChoice&, bool timed)>& compile);

}  // namespace coppice::system
