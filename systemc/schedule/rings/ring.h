#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Ring collectives (Patarasuk and Yuan 2009) embedded in the topology: chunk a is summed around the ring,
// from the accelerator after a to a, and then sent once around the ring from a; each phase takes n - 1
// timesteps. Messages between accelerators that are not neighbours (across switches, or without a Hamiltonian
// cycle) are routed. A DGX-1 and a graph from a file without switches use all rings of channel_rings()
// concurrently, each for an equal piece of every chunk: six on a DGX-1.
class RingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
