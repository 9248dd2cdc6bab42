#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles the bandwidth-optimal variant of Swing (De Sensi et al., "Swing: Short-cutting Rings for Higher
// Bandwidth Allreduce", NSDI 2024). In step s of the reduce-scatter, an even rank of a ring exchanges data
// with the rank at distance (1 - (-2)^(s + 1)) / 3 (1, -1, 3, -5, 11, ...), and an odd rank with the rank at
// this distance in the other direction. Messages therefore travel less far than in recursive halving. The
// all-gather is the reverse. On a torus, the steps alternate between dimensions, and there is one concurrent
// exchange per port: for every dimension, an exchange that starts in it, and the mirror image of that
// exchange (multi-port Swing). Other networks are treated as a ring in the order of their accelerators.
// Messages are routed. Throws UnsupportedError unless every dimension is a power of two.
class SwingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Compiles butterflies of Bine trees (De Sensi et al., "Bine Trees: Enhancing Collective Operations by
// Optimizing Communication Locality", SC 2025): a reduce-scatter with doubling distances, which are based on
// negabinary numbers, and the reverse as the all-gather. It uses one port per accelerator and treats the
// accelerators of any network as a single row of ranks. The distances are those of Swing on a ring. Messages
// are routed. Throws UnsupportedError unless the number of accelerators is a power of two.
class BineCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
