#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles collectives over rings (Patarasuk and Yuan 2009) that are embedded in the topology. Chunk a is
// summed around the ring, from the accelerator after a to a, and then sent once around the ring from a. Each
// phase takes n - 1 timesteps. Messages between accelerators that are not neighbours (across switches, or
// without a Hamiltonian cycle) are routed. On a DGX-1 and on a graph file without switches, all rings of
// channel_rings() are used concurrently, each for an equal piece of every chunk; a DGX-1 has six of them.
class RingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
