#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The two-shot collectives of GPU libraries (the custom all-reduces of TensorRT-LLM and vLLM;
// symmetric-memory kernels of PyTorch): every accelerator sends each of the others its contribution to that
// accelerator's chunk simultaneously, and each owner sends the sum back. The messages are those of `direct`
// without timesteps. Messages are routed. One-shot all-reduces, which send whole buffers into separate
// receive buffers, are not possible: the network interface adds in place, so the first arrival would change
// data that has not been sent yet.
class TwoShotCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
