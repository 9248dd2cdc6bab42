#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Algorithms of the vendors' libraries (NCCL, RCCL) on boxes of accelerators with one network interface each:
// the accelerators of one rank in all boxes are a rail, and every rail carries an equal part of the data.

// One ring over all accelerators per rail: it runs through a box and leaves it over the rail's links, so that
// all rails are busy. If there is only one box, in which all accelerators are linked, the rings use all
// links. Broadcasts and reduces run along the rings in pieces.
class RailRingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Double binary trees over the boxes on every rail, and in every box a chain of all its accelerators that
// ends at the rail's accelerator: partial sums go along the chain and up the tree, final values come back, in
// pieces.
class RailTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Like RailTreeCompiler, with the box's switch instead of the chain (NVLink SHARP): the switch adds what all
// accelerators send, gives the sum to the rail's accelerator, and multicasts the final value that it returns.
// Throws UnsupportedError unless a switch of every box adds (system.switch.reduction_bandwidth).
class NvlsCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
