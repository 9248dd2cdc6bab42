#pragma once

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The linear cost model alpha + beta N of C-Cube (Sec. II-C, III-C). Times are in nanoseconds; `log P` is the
// base 2 logarithm, the number of edge levels in a binary tree with P nodes.
struct CostModel {
  double alpha_ns = 0;          // fixed cost of a step
  double beta_ns_per_byte = 0;  // inverse bandwidth
  int accelerators = 2;         // the number P of accelerators

  // Eq. (1): an all-gather of N bytes around a ring, to which every accelerator contributes an equal part.
  double all_gather_ns(double bytes) const;
  // Eq. (2): an all-reduce around a ring.
  double ring_ns(double bytes) const;
  // Eq. (3): a reduction or a broadcast of K chunks over a tree.
  double tree_phase_ns(double bytes, double chunks) const;
  // Eq. (4): the optimal number of chunks, not rounded, but at least 1.
  double optimal_chunks(double bytes) const;
  // Eq. (5): a reduction and a broadcast over a tree, with the number of chunks from eq. (4).
  double tree_ns(double bytes) const;
  // Eq. (6): overlapped phases on a tree, which take 2 log P + K steps.
  double overlapped_tree_ns(double bytes, double chunks) const;
  // Eq. (7): eq. (6) with the number of chunks from eq. (4), which is optimal for eq. (3). The optimum for
  // eq. (6) itself has sqrt(2) times as many chunks; the factor 3 in eq. (7) would then be 2 sqrt(2).
  double overlapped_tree_ns(double bytes) const;
};

// The cost model in which a step takes `step` plus the time to transfer its bytes over the slowest channel.
CostModel cost_model(const topology::Topology& topology, Femtoseconds step);

// The time of a pipeline of K chunks over a tree with L levels of edges. A phase takes L + K - 1 steps; if
// both phases overlap, they take 2 L + K - 1 steps together. In the paper's Fig. 5, where L = 2 and K = 4,
// the total is 10 steps, or 7 if the phases overlap. The paper's equations count one more step per phase.
double pipelined_tree_ns(const CostModel& model, int levels, int chunks, double bytes);
double pipelined_overlapped_tree_ns(const CostModel& model, int levels, int chunks, double bytes);

// The time until the first chunk is final at every accelerator (C-Cube, Sec. III-C). turnaround_ns() assumes
// that all K chunks are reduced before the broadcast begins; overlapped_turnaround_ns() assumes that the
// phases overlap.
double turnaround_ns(const CostModel& model, int levels, int chunks, double bytes);
double overlapped_turnaround_ns(const CostModel& model, int levels, int chunks, double bytes);

// The number of chunks from eq. (4), rounded and clamped to 1..`most`, for `bytes` bytes on one tree; `most`
// if a step has no fixed cost.
int optimal_chunks(const CostModel& model, double bytes, int most);

}  // namespace coppice::schedule
