#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// Predicts an iteration of the text workload that training.model names on a hierarchical system, with
// collectives whose chunks move according to `collective.scheduler`, one collective at a time.
// ChunkSimulation gives their durations, step by step as tables would execute them; messages are not
// simulated and nothing is verified, so `fidelity` is "chunks" and `verified` is "off". A split model is
// spread over the first dimensions, the data over the others (Themis, Sec. 5.2). Schema "coppice.chunks/1".
// Throws ConfigError.
nlohmann::ordered_json predict_text_training(const config::Loaded& loaded);

// The text breakdown of an iteration, from a result of predict_text_training().
std::string summarize_text_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
