#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// Predicts an iteration of the text workload `training.model` on a hierarchical system, running one
// collective at a time with chunks scheduled by `collective.scheduler`. ChunkSimulation computes the
// durations by executing the steps that tables would; no messages are simulated and nothing is verified, so
// `fidelity` is "chunks" and `verified` is "off". Model parallelism uses the first dimensions, and data
// parallelism uses the others (Themis, Sec. 5.2). Schema "coppice.chunks/1". Throws ConfigError.
nlohmann::ordered_json predict_text_training(const config::Loaded& loaded);

// Formats the breakdown of an iteration from a result of predict_text_training().
std::string summarize_text_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
