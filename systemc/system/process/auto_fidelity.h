#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/trains/meetings.h"

namespace coppice::system {

// A simulation at a fidelity, to its result; of trains that tell `meetings`, which are none's else.
using RunAtFidelity = std::function<nlohmann::ordered_json(config::Fidelity, fabric::Meetings* meetings)>;

// The flit-hops that are simulated one by one without being asked for: minutes of work.
inline constexpr double kAffordableFlitHops = 3e9;

// `fidelity: auto`: trains, in a separate process. Where they meet, those messages go by flits in the next
// process (fabric::MixedFabric), and what meets those, as long as it is a small part of all that is sent.
// Else flits with leaps, in this process; more flit-hops than kAffordableFlitHops of them as fluid, if
// `fluid` allows that. The result says in `fidelity` what ran, in `fidelity_reason` why trains were not
// enough, and in `trains` how many messages were flits. Call before anything of SystemC exists.
nlohmann::ordered_json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid,
                                const std::atomic<bool>* interrupted);

}  // namespace coppice::system
