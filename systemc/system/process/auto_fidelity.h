#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/trains/meetings.h"

namespace coppice::system {

// Simulates at a fidelity and returns the result. A run of trains records in `meetings` which trains meet;
// other runs do not use `meetings`.
using RunAtFidelity = std::function<nlohmann::ordered_json(config::Fidelity, fabric::Meetings* meetings)>;

// The most flit-hops that are simulated as flits without an explicit request: minutes of work.
inline constexpr double kAffordableFlitHops = 3e9;

// Runs with `fidelity: auto`. It first tries trains, in a child process. If trains meet, another child
// process simulates the messages that meet, or that meet flits, as flits (fabric::MixedFabric), as long as
// these are a small part of all messages. Otherwise this process simulates flits with leaps, or fluids if
// `fluid` allows it and there are more than kAffordableFlitHops flit-hops. In the result, `fidelity` is the
// chosen fidelity, `fidelity_reason` the reason that trains were insufficient, and `trains` the number of
// messages that moved as flits. Call this before any SystemC object exists.
nlohmann::ordered_json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid,
                                const std::atomic<bool>* interrupted);

}  // namespace coppice::system
