#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles the one-shot all-reduce of GPU libraries (TensorRT-LLM, vLLM, symmetric-memory kernels of
// PyTorch): every accelerator sends all its data to every other accelerator, and each accelerator computes
// the whole sum. Additions must not change data that has not been sent yet, so accelerators need receive
// buffers. The tables model these buffers by reducing one copy of the data per accelerator
// (Schedule::copies), which is a reduce-scatter of all copies by two_shot. Supports only all-reduces. `auto`
// does not try this algorithm, because many network interfaces have no receive buffers.
class OneShotCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
