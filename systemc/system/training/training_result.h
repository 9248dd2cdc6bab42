#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "config/settings/config.h"
#include "workload/model.h"
#include "workload/training_timeline.h"

namespace coppice::system {

// The measurements of a training run.
struct MeasuredTraining {
  const config::Config& config;
  const workload::Model& model;
  int accelerators = 0;
  const std::vector<workload::LayerCost>& costs;
  const workload::TrainingTimeline& timeline;
  // [size in bytes]: the result of an all-reduce of this size, and how often it occurs per iteration.
  const std::map<Bytes, nlohmann::ordered_json>& all_reduces;
  const std::map<Bytes, int>& counts;
  // [accelerator]: the time from the start of the all-reduce to the end of the forward pass that is chained
  // to it; empty if no pass is chained.
  const std::vector<double>& forward_ns;
};

// Creates the result, with the schema "coppice.result/1". Its section `training` contains the values of the
// all-reduces.
nlohmann::ordered_json make_training_result(const MeasuredTraining& measured);

// Formats a summary of a result of make_training_result(). It shows how the iteration's time is spent.
std::string summarize_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
