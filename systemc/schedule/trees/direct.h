#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles direct (all-to-all) collectives. Every accelerator sends to every other accelerator its
// contribution to the receiver's chunk, and the owner of each chunk sends the sum back to all other
// accelerators. In timestep s of the reduce-scatter, accelerator i sends to accelerator i + s, so that each
// accelerator sends and receives one message per timestep, and a phase takes n - 1 timesteps. If every
// accelerator has a channel to every other accelerator, it sends over as many channels simultaneously as it
// has NI ports. With one port per channel, a phase takes a single timestep. Messages are routed.
class DirectCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
