#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/trains/meetings.h"

namespace coppice::system {

// Simulates at a given fidelity and returns the result. At train fidelity, the run records in `meetings`
// which trains meet; at other fidelities, `meetings` is unused.
using RunAtFidelity = std::function<nlohmann::ordered_json(config::Fidelity, fabric::Meetings* meetings)>;

// Simulating this many flit-hops takes minutes. Longer simulations of flits must be requested explicitly.
inline constexpr double kAffordableFlitHops = 3e9;

// Runs with `fidelity: auto`. First a child process tries trains. If some trains meet, another child process
// simulates as flits all messages that meet trains or flits (fabric::MixedFabric), as long as these are a
// small fraction of the messages. Otherwise, this process simulates flits with leaps or, if `fluid` is set
// and there are more than kAffordableFlitHops flit-hops, fluid flows. The result contains the chosen
// `fidelity`, the reason that trains were insufficient (`fidelity_reason`), and the number of messages that
// moved as flits (`trains`). Call this before any SystemC object exists.
nlohmann::ordered_json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid,
                                const std::atomic<bool>* interrupted);

}  // namespace coppice::system
