#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// Predicts the time of an iteration of the text workload `training.model` on a hierarchy. One collective runs
// at a time, with chunks scheduled by `collective.scheduler`. ChunkSimulation computes the duration of a
// collective by executing the steps that the tables of the collective would contain. Since no messages are
// simulated and nothing is verified, `fidelity` is "chunks" and `verified` is "off". Model parallelism uses
// the first dimensions, and data parallelism the others (Themis, Sec. 5.2). The result has the schema
// "coppice.chunks/1". Throws ConfigError.
nlohmann::ordered_json predict_text_training(const config::Loaded& loaded);

// Formats a summary of a result of predict_text_training(). It shows how the iteration's time is spent.
std::string summarize_text_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
