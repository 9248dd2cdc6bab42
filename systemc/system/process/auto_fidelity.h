#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"

namespace coppice::system {

// A simulation at a fidelity, to its result.
using RunAtFidelity = std::function<nlohmann::ordered_json(config::Fidelity)>;

// The flit-hops that are simulated one by one without being asked for: minutes of work.
inline constexpr double kAffordableFlitHops = 3e9;

// `fidelity: auto`: trains, in a process of their own. Where they contend it runs flits with leaps, in this
// process; more flit-hops than kAffordableFlitHops of them as fluid, if `fluid` allows that. The result says
// in `fidelity` what ran and in `fidelity_reason` why trains did not. Call before anything of SystemC exists.
nlohmann::ordered_json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid,
                                const std::atomic<bool>* interrupted);

}  // namespace coppice::system
