#pragma once

#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The accelerator of every rank. A rank's layer is the parity of its bits, so that partners, which differ in
// one bit, are always in different layers. Of the bits above the lowest, the upper bits select the switch of
// a rank in the lower layer, and the lower bits that of a rank in the upper layer. In whichever bit partners
// differ, the partners of one switch's accelerators are all on different switches, and every link between the
// layers carries one message in each direction. Throws UnsupportedError for topologies other than a BiGraph,
// if the switches or the accelerators per switch are not powers of two, or if switches have more accelerators
// than links.
std::vector<NodeId> rank_mapping(const topology::Topology& topology);

// Halving-doubling with rank mapping (HDRM; Dong et al., EFLOPS, HPCA 2020): halving_doubling over ranks
// placed on a BiGraph so that there is no contention.
class HdrmCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
