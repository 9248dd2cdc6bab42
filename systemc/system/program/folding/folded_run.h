#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"
#include "workload/large_training.h"

namespace coppice::system {

// The configured program, to be represented by one data-parallel copy of the model. Returns nullopt if there
// is only one copy, or if the configuration treats copies differently because of jitter, failures, or
// observers of individual accelerators.
std::optional<workload::ReplicatedProgram> load_replicated(const config::Loaded& loaded,
                                                           const RunOptions& options);

// Runs one copy of the program with trains, in a child process, and returns the result of all copies. Its
// lists of accelerators and collectives have one item per role, with the `count` of accelerators or
// collectives that the item represents. All-reduces among the copies have no `gradients`. Returns nullopt
// if the copies differ (UnlikeCopies) or if trains meet; the whole program must then be simulated.
std::optional<nlohmann::ordered_json> run_folded(const config::Loaded& loaded,
                                                 const workload::ReplicatedProgram& replicated,
                                                 const RunOptions& options);

}  // namespace coppice::system
