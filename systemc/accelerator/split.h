#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/layer.h"

namespace coppice::accelerator {

// The dimension along which the PEs of an accelerator split a pass.
enum class Split {
  kBest,     // the fastest split; if several are equally fast, the first in the order below
  kBatch,    // samples
  kRows,     // rows of every sample's output
  kColumns,  // columns of the output
  kFilters,  // filters or groups of filters; channels for an input gradient
};

// Converts "best", "batch", "rows", "columns" or "filters" to a Split. Throws std::invalid_argument for other
// names.
Split parse_split(const std::string& name);
const char* to_string(Split split);
// Returns all splits except kBest.
const std::vector<Split>& splits();

// The work of the PEs when a pass of a layer is split: each of `full` PEs computes `layer` for `samples`
// samples, and `smaller` PEs compute the rest.
struct Share {
  workload::Layer layer;
  std::int64_t samples = 1;
  std::int64_t full = 1;
  workload::Layer smaller_layer;
  std::int64_t smaller_samples = 0;
  std::int64_t smaller = 0;
  // If PEs share an operand, each group of PEs that use the same values reads them once.
  bool shares_input = false;
  bool shares_weight = false;
  std::int64_t copies = 1;
  // Whether every PE has partial sums for all weights, so that these sums must be added up.
  bool partial_sums = false;

  std::int64_t active() const { return full + smaller; }
};

// Splits a pass over `batch` >= 1 samples of `layer` among at most `pes` PEs. `split` must not be kBest.
Share share(const workload::Layer& layer, workload::Pass pass, std::int64_t batch, int pes, Split split);

}  // namespace coppice::accelerator
