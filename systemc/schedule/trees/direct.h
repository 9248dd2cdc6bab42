#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Direct (all-to-all) collectives: every accelerator sends each of the others its contribution to that
// accelerator's chunk, and the owner sends the sum back to each. In timestep s of the reduce-scatter
// accelerator i sends to i + s, so that each accelerator sends and receives one message per timestep; a phase
// takes n-1 timesteps. If every accelerator has a channel to every other, it sends over as many channels
// simultaneously as it has NI ports: with one port per channel, a phase takes a single timestep. Messages are
// routed.
class DirectCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
