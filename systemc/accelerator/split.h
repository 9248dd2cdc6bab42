#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/layer.h"

namespace coppice::accelerator {

// How the PEs of an accelerator split a pass.
enum class Split {
  kBest,     // the fastest; among equals, the first in this order
  kBatch,    // samples
  kRows,     // rows of the output of every sample
  kColumns,  // columns of the output
  kFilters,  // filters, or groups of filters; for an input gradient, its channels
};

// The Split of "best", "batch", "rows", "columns" or "filters"; throws std::invalid_argument naming them.
Split parse_split(const std::string& name);
const char* to_string(Split split);
// All except kBest.
const std::vector<Split>& splits();

// A pass of a layer as split over PEs: `full` PEs compute `layer` for `samples` samples, and `smaller` ones
// the rest.
struct Share {
  workload::Layer layer;
  std::int64_t samples = 1;
  std::int64_t full = 1;
  workload::Layer smaller_layer;
  std::int64_t smaller_samples = 0;
  std::int64_t smaller = 0;
  // An operand that PEs share is read once for each group of PEs that read the same values.
  bool shares_input = false;
  bool shares_weight = false;
  std::int64_t copies = 1;
  // Every PE holds a partial sum for all weights, and the sums must be added.
  bool partial_sums = false;

  std::int64_t active() const { return full + smaller; }
};

// `pass` over `batch` >= 1 samples of `layer`, split over at most `pes` PEs. `split` must not be kBest.
Share share(const workload::Layer& layer, workload::Pass pass, std::int64_t batch, int pes, Split split);

}  // namespace coppice::accelerator
