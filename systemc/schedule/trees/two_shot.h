#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The two-shot collectives of GPU libraries (the custom all-reduces of TensorRT-LLM and vLLM;
// symmetric-memory kernels of PyTorch): every accelerator sends every other its part of that one's chunk, all
// at once, and the owner sends the sum back to each. The same messages as `direct`, but no timesteps keep
// them apart. Messages are routed. One-shot all-reduces, which send whole buffers into separate ones, have no
// form here: a network interface adds in place, where the first arrival would change what is still to be
// sent.
class TwoShotCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
