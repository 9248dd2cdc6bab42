#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// 2D ring all-reduce (Ying et al. 2018) as described in the MultiTree paper: a ring all-reduce of all data
// along one dimension, then of the sums along the other. It keeps every channel busy but moves nearly twice
// the data of a bandwidth-optimal algorithm: 4 (N - 1) / N of the data per accelerator of an N x N torus.
// Half of the data takes dimension x first, the other half y. On a torus, each half is sent around in both
// directions, so that all four channels of a node are in use; on a mesh, the message that closes a ring is
// routed back over the channels of the opposite direction.
//
// A timestep carries one chunk over a channel: a part of the data is cut into a number of chunks that both
// widths divide. Columns may begin only when their rows have ended, which only the timesteps enforce:
// Schedule::ordered_by_lockstep. Throws UnsupportedError for topologies other than two-dimensional tori and
// meshes, for links of different bandwidth or latency, on which the timesteps do not maintain this order, and
// for other collectives.
class Ring2dCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
