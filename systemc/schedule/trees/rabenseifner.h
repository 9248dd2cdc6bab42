#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles Rabenseifner's all-reduce for any number of accelerators (Rabenseifner, "Optimization of
// Collective Reduction Operations", ICCS 2004; Thakur et al. 2005). If there are r more accelerators than a
// power of two, the first 2r fold in pairs: each odd accelerator sends all its data to the even accelerator
// before it. The remaining accelerators run halving and doubling (halving_doubling.h). Finally, the pairs
// unfold. Folding and unfolding move all the data over one port twice, which is the cost of numbers that are
// not powers of two. Messages are routed. Supports only all-reduces.
class RabenseifnerCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
