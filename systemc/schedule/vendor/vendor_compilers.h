#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Algorithms of the vendors' libraries (NCCL, RCCL) on boxes of accelerators with a network interface each:
// accelerators of one rank in all boxes are a rail, and every rail carries an equal part of the data.

// A ring over all accelerators for every rail: it runs through a box and leaves it by the rail's links, so
// that all rails are busy. Where all accelerators of the only box are linked, rings use all links. Broadcasts
// and reduces go along them in pieces.
class RailRingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// Double binary trees over the boxes on every rail, and in every box a chain of all its accelerators that
// ends at the rail's: partial sums go along the chain and up the tree, final values come back, in pieces.
class RailTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

// The same with the switch of the box in the place of the chain (NVLink SHARP): it adds what all accelerators
// send, gives the sum to the rail's accelerator, and multicasts what that sends it back. Throws
// UnsupportedError unless a switch of every box adds (system.switch.reduction_bandwidth).
class NvlsCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
