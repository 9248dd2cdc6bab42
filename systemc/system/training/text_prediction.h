#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// Predicts an iteration of the text workload that training.model names on a hierarchical system, its
// collectives as `collective.scheduler` moves their chunks, one at a time. How long each takes says
// ChunkSimulation, step by step as tables would execute it; messages are not simulated and nothing is
// verified, so that `fidelity` is "chunks" and `verified` "off". A cut model is spread over the first
// dimensions, the data over the others (Themis, Sec. 5.2). Schema "coppice.chunks/1". Throws ConfigError.
nlohmann::ordered_json predict_text_training(const config::Loaded& loaded);

// The breakdown of an iteration for people, of a result of predict_text_training().
std::string summarize_text_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
