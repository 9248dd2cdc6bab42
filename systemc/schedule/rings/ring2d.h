#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles the 2D ring all-reduce (Ying et al. 2018) as described in the MultiTree paper: a ring all-reduce
// of all data along one dimension, followed by a ring all-reduce of the sums along the other dimension. It
// keeps every channel busy but moves nearly twice the data of a bandwidth-optimal algorithm, 4 (N - 1) / N of
// the data per accelerator on an N x N torus. Half of the data uses dimension x first, the other half
// dimension y. On a torus, each half is sent around in both directions, so that all four channels of a node
// are in use. On a mesh, the message that closes a ring is routed back over the channels of the opposite
// direction.
//
// In a timestep, a channel carries one chunk. Each part of the data is cut into a number of chunks that is
// divisible by both widths. Columns must not begin before their rows have ended, and only the timesteps
// enforce this order (Schedule::ordered_by_lockstep). Throws UnsupportedError for topologies other than
// two-dimensional tori and meshes, for other collectives, and for links of different bandwidth or latency,
// with which the timesteps do not enforce this order.
class Ring2dCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
