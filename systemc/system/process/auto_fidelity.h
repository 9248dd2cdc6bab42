#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/trains/meetings.h"

namespace coppice::system {

// Simulates at a fidelity and returns the result; a run of trains records in `meetings`, which is used by no
// other run.
using RunAtFidelity = std::function<nlohmann::ordered_json(config::Fidelity, fabric::Meetings* meetings)>;

// The most flit-hops that are simulated one by one without an explicit request: minutes of work.
inline constexpr double kAffordableFlitHops = 3e9;

// `fidelity: auto`: trains, in a separate process. If trains meet, the messages that meet, and those that
// meet flits, move as flits in the next process (fabric::MixedFabric), as long as they are a small part of
// all messages. Otherwise flits with leaps, in this process; more than kAffordableFlitHops flit-hops are
// simulated as fluid instead if `fluid` allows it. The result has the chosen fidelity in `fidelity`, the
// reason why trains were not enough in `fidelity_reason`, and the number of messages that were flits in
// `trains`. Call this before any SystemC object exists.
nlohmann::ordered_json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid,
                                const std::atomic<bool>* interrupted);

}  // namespace coppice::system
