#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"
#include "workload/large_training.h"

namespace coppice::system {

// The configured program, if copies of a model that are trained in parallel make up all of it and the
// machine: the program of one copy may then represent all. nullopt if there is a single copy, or if copies
// are told apart (by jitter, failures, or observers of single accelerators).
std::optional<workload::ReplicatedProgram> load_replicated(const config::Loaded& loaded,
                                                           const RunOptions& options);

// Runs one copy of the program with trains, in a child process, and returns the result of all of them, whose
// lists of accelerators and collectives have one item per role, with the `count` of accelerators or
// collectives that it represents. All-reduces that join the copies have no `gradients`. Returns nullopt if
// the copies differ (UnlikeCopies) or if trains meet: the program must then be run in full.
std::optional<nlohmann::ordered_json> run_folded(const config::Loaded& loaded,
                                                 const workload::ReplicatedProgram& replicated,
                                                 const RunOptions& options);

}  // namespace coppice::system
