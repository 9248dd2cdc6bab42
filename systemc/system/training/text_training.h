#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// An iteration of a text workload on a hierarchical system, its collectives as `collective.scheduler` moves
// their chunks. How long each takes says ChunkSimulation, step by step as tables would execute it; messages
// are not simulated and nothing is verified, so that `fidelity` is "chunks" and `verified` "off". A cut model
// is spread over the first dimensions, the data over the others (Themis, Sec. 5.2). Throws ConfigError.
nlohmann::ordered_json run_text_training(const config::Loaded& loaded);

// The breakdown of an iteration for people, of a result of run_text_training().
std::string summarize_text_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
