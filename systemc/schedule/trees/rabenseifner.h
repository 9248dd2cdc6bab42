#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Rabenseifner's all-reduce for any number of accelerators (Rabenseifner, "Optimization of Collective
// Reduction Operations", ICCS 2004; Thakur et al. 2005): if there are r more accelerators than a power of
// two, the first 2r fold in pairs, in which each odd accelerator sends all its data to the even one before
// it. The remaining accelerators run halving and doubling (halving_doubling.h), then the pairs unfold.
// Folding moves all the data over one port twice, which is the price of numbers that are not powers of two.
// Messages are routed. Supports only all-reduces.
class RabenseifnerCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
