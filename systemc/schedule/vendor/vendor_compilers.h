#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Algorithms of the vendors' libraries (NCCL, RCCL) for boxes of accelerators with one network interface
// each: the accelerators of one rank in all boxes form a rail, and every rail carries an equal part of the
// data.

// For each rail, one ring through all accelerators, which traverses each box and leaves it over the rail's
// links, so that all rails are busy. If there is only one box and all its accelerators are linked, the rings
// use all links. Broadcasts and reduces run along the rings in pieces.
class RailRingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Double binary trees over the boxes on every rail, and in every box a chain of all its accelerators that
// ends at the rail's accelerator: in pieces, partial sums move along the chain and up the tree, and final
// values move back.
class RailTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Like RailTreeCompiler, with a box's switch instead of the chain (NVLink SHARP): the switch reduces the data
// of all accelerators, sends the sum to the rail's accelerator and multicasts the final value that this
// accelerator returns. Throws UnsupportedError unless every box has a reducing switch
// (system.switch.reduction_bandwidth).
class NvlsCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
