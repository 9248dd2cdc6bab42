#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Swing (De Sensi et al., "Swing: Short-cutting Rings for Higher Bandwidth Allreduce", NSDI 2024), its
// bandwidth-optimal form: in step s of the reduce-scatter even ranks of a ring exchange with the rank
// (1 - (-2)^(s + 1)) / 3 away, odd ranks with the one as far the other way (1, -1, 3, -5, 11, ...), so that
// messages go shorter ways than in recursive halving; the all-gather goes back. On a torus steps take the
// dimensions in turn, and as many exchanges as accelerators have ports run at once, one from each dimension
// and its mirror image (multi-port Swing). Other networks are a ring in the order of their accelerators.
// Messages are routed. Throws UnsupportedError unless every dimension is a power of two.
class SwingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Butterflies of Bine trees (De Sensi et al., "Bine Trees: Enhancing Collective Operations by Optimizing
// Communication Locality", SC 2025): a reduce-scatter of doubling distances by negabinary numbers and the
// all-gather that goes back, for one port and ranks in a row, whatever the network. The distances are those
// of Swing on a ring. Messages are routed. Throws UnsupportedError unless accelerators are a power of two.
class BineCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
