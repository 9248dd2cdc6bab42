#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Direct (all-to-all) collectives: every accelerator sends every other its part of that one's chunk, and the
// owner sends the sum back to each. In timestep s of the reduce-scatter accelerator i sends to i + s, so that
// each sends and receives one message a timestep; n-1 timesteps for each phase. Where every accelerator has a
// channel to every other, it sends over all of them at once, as many as it has NI ports: a single timestep
// with a port for each. Messages are routed.
class DirectCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
