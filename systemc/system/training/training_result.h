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
  // The results of the all-reduces by their size in bytes, and the number of times that the iteration runs
  // each.
  const std::map<Bytes, nlohmann::ordered_json>& all_reduces;
  const std::map<Bytes, int>& counts;
  // [accelerator]: time of a chained forward pass, from the begin of the all-reduce to its end; empty: no
  // pass is chained.
  const std::vector<double>& forward_ns;
};

// The result, schema "coppice.result/1", with the values of a plain run's collective in `training`.
nlohmann::ordered_json make_training_result(const MeasuredTraining& measured);

// The printed breakdown of an iteration, from a result of make_training_result().
std::string summarize_training(const nlohmann::ordered_json& result);

}  // namespace coppice::system
