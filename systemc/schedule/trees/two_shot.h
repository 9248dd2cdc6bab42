#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles the two-shot collectives of GPU libraries (the custom all-reduces of TensorRT-LLM and vLLM;
// symmetric-memory kernels of PyTorch). Every accelerator simultaneously sends to all other accelerators its
// contributions to their chunks, and the owner of each chunk sends the sum back. The messages are those of
// `direct` without timesteps. Messages are routed.
class TwoShotCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
