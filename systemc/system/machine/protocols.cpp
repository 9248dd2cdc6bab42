#include "system/machine/protocols.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"

namespace coppice::system {
namespace {

bool applies(const config::ProtocolConfig& protocol, const ProtocolQuery& query) {
  if (protocol.from && query.bytes < *protocol.from) return false;
  if (protocol.up_to && query.bytes > *protocol.up_to) return false;
  const auto& operations = protocol.operations;
  if (!operations.empty() && std::ranges::find(operations, query.operation) == operations.end()) return false;
  const auto& ranks = protocol.ranks;
  return ranks.empty() || (query.ranks >= ranks[0] && query.ranks <= ranks[1]);
}

bool names(const std::vector<std::string>& algorithms, std::string_view algorithm) {
  return algorithms.empty() || std::ranges::find(algorithms, algorithm) != algorithms.end();
}

}  // namespace

std::vector<ProtocolChoice> protocol_choices(const config::SystemConfig& system, const ProtocolQuery& query) {
  std::vector<ProtocolChoice> choices;
  std::vector<std::vector<std::string>> served;
  for (const config::ProtocolConfig& protocol : system.ni.protocols) {
    if (!applies(protocol, query)) continue;
    served.push_back(protocol.algorithms);
    choices.push_back({schedule::Protocol{protocol.name, protocol.efficiency, protocol.setup,
                                          protocol.launch.value_or(system.ni.launch)},
                       [algorithms = protocol.algorithms](std::string_view algorithm) {
                         return names(algorithms, algorithm);
                       }});
  }
  choices.push_back({std::nullopt, [served = std::move(served)](std::string_view algorithm) {
                       return std::ranges::none_of(
                           served, [&](const auto& algorithms) { return names(algorithms, algorithm); });
                     }});
  return choices;
}

Femtoseconds launch_of(const config::SystemConfig& system, const schedule::Schedule& schedule) {
  if (schedule.protocol) return schedule.protocol->launch;
  Femtoseconds launch = system.ni.launch;
  const bool compiled = schedule.flows > 0;
  for (const config::ProtocolConfig& protocol : system.ni.protocols) {
    if (!compiled) launch = std::min(launch, protocol.launch.value_or(launch));
  }
  return launch;
}

TimedSchedule choose_protocol(
    const std::vector<ProtocolChoice>& choices, Femtoseconds launch, const std::string& algorithm,
    const std::function<TimedSchedule(const ProtocolChoice&, bool timed)>& compile) {
  std::vector<const ProtocolChoice*> able;
  for (const ProtocolChoice& choice : choices) {
    const bool counts = choice.protocol || choices.size() == 1;
    if (algorithm.empty() ? counts : choice.serves(algorithm)) able.push_back(&choice);
  }
  std::optional<TimedSchedule> best;
  std::vector<schedule::ExpectedTime> expected;
  std::exception_ptr refusal;
  const auto attempt = [&](const ProtocolChoice* choice) {
    try {
      TimedSchedule compiled = compile(*choice, able.size() > 1);
      const Femtoseconds own_launch = choice->protocol ? choice->protocol->launch : launch;
      compiled.schedule.protocol = choice->protocol;
      compiled.time += own_launch;
      if (compiled.expected.empty() && able.size() > 1) {
        compiled.expected.push_back({algorithm, compiled.schedule.chunks, compiled.time - own_launch});
      }
      for (schedule::ExpectedTime& one : compiled.expected) {
        one.time += own_launch;
        if (choice->protocol) one.protocol = choice->protocol->name;
        expected.push_back(one);
      }
      if (!best || compiled.time < best->time) best = std::move(compiled);
    } catch (const UnsupportedError&) {
      refusal = std::current_exception();
    }
  };
  for (const ProtocolChoice* const choice : able) attempt(choice);
  // If no protocol serves the chosen algorithms, compile them without a protocol.
  if (!best && algorithm.empty() && choices.size() > 1) attempt(&choices.back());
  if (!best) std::rethrow_exception(refusal);
  std::ranges::stable_sort(expected, {}, &schedule::ExpectedTime::time);
  best->expected = std::move(expected);
  return *std::move(best);
}

}  // namespace coppice::system
