#pragma once

#include <vector>

#include "schedule/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// What a scheduler of chunks knows of one dimension of a hierarchy (Themis, Table 2 and Sec. 4.4).
struct DimensionModel {
  topology::DimensionKind kind = topology::DimensionKind::kSwitch;
  int size = 2;                   // accelerators of a group
  Bandwidth bandwidth;            // of one accelerator, all links together, each way
  Femtoseconds step_latency = 0;  // from accelerator to accelerator
  bool operator==(const DimensionModel&) const = default;
};

// The dimensions of a hierarchical topology. Throws UnsupportedError for other topologies.
std::vector<DimensionModel> dimension_models(const topology::Topology& topology);

// Predicts how long a reduce-scatter or an all-gather of a chunk takes in each dimension (Themis, Sec. 4.4):
// A_K, a fixed delay, plus n_K x B_K, the bytes that an accelerator sends over its bandwidth. Sizes are what
// an accelerator holds of the chunk before the operation.
class LatencyModel {
 public:
  // Throws UnsupportedError for a dimension that no algorithm of DimensionAlgorithm serves.
  explicit LatencyModel(std::vector<DimensionModel> dimensions);

  std::size_t dimensions() const { return dimensions_.size(); }
  const DimensionModel& dimension(std::size_t d) const { return dimensions_[d]; }

  // A_K of a reduce-scatter or an all-gather: the dimension's steps, each with its latency.
  Femtoseconds fixed_delay(std::size_t d) const { return fixed_delays_[d]; }
  // n_K: a reduce-scatter sends all but its own part, an all-gather its part to all others.
  Bytes sent(std::size_t d, Op op, Bytes before) const;
  // n_K x B_K.
  Femtoseconds transfer(std::size_t d, Op op, Bytes before) const;
  // What an accelerator holds after the operation.
  Bytes after(std::size_t d, Op op, Bytes before) const;

  // Bandwidth of an accelerator over all dimensions.
  Bandwidth total_bandwidth() const;
  // Accelerators of the whole hierarchy.
  int accelerators() const;

 private:
  std::vector<DimensionModel> dimensions_;
  std::vector<Femtoseconds> fixed_delays_;
};

// The time a collective would take if all dimensions were busy throughout (Themis, Table 3): the bytes that
// an accelerator must send, 2 (P - 1) / P of the data for an all-reduce and half of that for a reduce-scatter
// or all-gather, over the bandwidth of all dimensions. The bandwidth-weighted mean of the dimensions'
// utilization (Themis, Sec. 3) is this over the time taken.
Femtoseconds ideal_time(const LatencyModel& model, Collective collective, Bytes size);

}  // namespace coppice::schedule
