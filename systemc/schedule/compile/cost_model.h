#pragma once

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The linear cost model alpha + beta N of C-Cube (Sec. II-C, III-C). Times are in nanoseconds; `log P` is the
// base 2 logarithm, the number of edge levels in a binary tree with P nodes.
struct CostModel {
  double alpha_ns = 0;          // fixed cost of a step
  double beta_ns_per_byte = 0;  // inverse bandwidth
  int accelerators = 2;         // P

  // Eq. (1): an all-gather of N bytes around a ring, one part from every accelerator.
  double all_gather_ns(double bytes) const;
  // Eq. (2): an all-reduce around a ring.
  double ring_ns(double bytes) const;
  // Eq. (3): a reduction or a broadcast of K chunks.
  double tree_phase_ns(double bytes, double chunks) const;
  // Eq. (4): the optimal number of chunks, not rounded, but at least 1.
  double optimal_chunks(double bytes) const;
  // Eq. (5): both phases with the number of chunks from eq. (4), if that is more than 1.
  double tree_ns(double bytes) const;
  // Eq. (6): one pass up and down, 2 log P + K steps.
  double overlapped_tree_ns(double bytes, double chunks) const;
  // Eq. (7): eq. (6) with the number of chunks from eq. (4), which is optimal for eq. (3). The optimum for
  // eq. (6) itself is sqrt(2) times as many chunks, with a factor of 2 sqrt(2) instead of the 3 in eq. (7).
  double overlapped_tree_ns(double bytes) const;
};

// The model for steps with a fixed cost of `step` plus the time of their bytes on the slowest channel.
CostModel cost_model(const topology::Topology& topology, Femtoseconds step);

// The time of a pipeline of K chunks over L levels of edges, step by step: L + K - 1 steps for each phase, or
// 2 L + K - 1 in all if the phases overlap (10 and 7 steps in the paper's Fig. 5, where L = 2 and K = 4). The
// paper's equations count one more step per phase.
double pipelined_tree_ns(const CostModel& model, int levels, int chunks, double bytes);
double pipelined_overlapped_tree_ns(const CostModel& model, int levels, int chunks, double bytes);

// The time until the first chunk is final everywhere (C-Cube, Sec. III-C), if all K chunks are reduced before
// the broadcast begins, or if the phases overlap.
double turnaround_ns(const CostModel& model, int levels, int chunks, double bytes);
double overlapped_turnaround_ns(const CostModel& model, int levels, int chunks, double bytes);

// Eq. (4) rounded and clamped to 1..`most`, for `bytes` on one tree; `most` if a step has no fixed cost.
int optimal_chunks(const CostModel& model, double bytes, int most);

}  // namespace coppice::schedule
