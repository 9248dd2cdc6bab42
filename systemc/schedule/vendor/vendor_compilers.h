#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Algorithms of the vendors' libraries (NCCL, RCCL) for boxes in which every accelerator has its own network
// interface. The accelerators of one rank in all boxes form a rail, and every rail carries an equal part of
// the data.

// Compiles one ring per rail. The ring passes through all accelerators: it traverses each box and leaves it
// over the links of the rail, so that all rails are busy. If there is only one box and all its accelerators
// are linked, the rings use all links. Broadcasts and reduces run along the rings in pieces.
class RailRingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Compiles double binary trees over the boxes on every rail. In every box, a chain of all accelerators ends
// at the accelerator of the rail. The data is sent in pieces: partial sums move along the chain and up the
// tree, and final values move back.
class RailTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Like RailTreeCompiler, but the switch of a box replaces the chain (NVLink SHARP). The switch reduces the
// data of all accelerators and sends the sum to the accelerator of the rail. When that accelerator returns
// the final value, the switch multicasts it. Throws UnsupportedError unless every box has a reducing switch
// (system.switch.reduction_bandwidth).
class NvlsCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
