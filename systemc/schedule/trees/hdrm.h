#pragma once

#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Returns the accelerator of every rank. The layer of a rank is the parity of its bits, so partners, which
// differ in one bit, are always in different layers. Of the bits above the lowest bit, the upper bits select
// the switch of a rank in the lower layer, and the lower bits select the switch of a rank in the upper layer.
// No matter in which bit partners differ, the partners of one switch's accelerators are all on different
// switches, so every link between the layers carries one message in each direction. Throws UnsupportedError
// for topologies other than a BiGraph, if the number of switches or of accelerators per switch is not a power
// of two, or if a switch has more accelerators than links.
std::vector<NodeId> rank_mapping(const topology::Topology& topology);

// Compiles halving-doubling with rank mapping (HDRM; Dong et al., EFLOPS, HPCA 2020), which is
// halving_doubling with ranks placed on a BiGraph such that there is no contention.
class HdrmCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
