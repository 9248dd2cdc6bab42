#pragma once

#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The accelerator of every rank. A rank's layer is the parity of its bits, so that partners, which differ in
// one bit, are always in different layers. Of the bits without the lowest, the upper ones choose a lower
// switch and the lower ones an upper switch: whatever the bit that partners differ in, those of a switch are
// on as many different switches, and every link between the layers carries one message each way. Throws
// UnsupportedError for other topologies than a BiGraph, and for one whose switches or accelerators per switch
// are no powers of two or whose switches have more accelerators than links.
std::vector<NodeId> rank_mapping(const topology::Topology& topology);

// Halving-doubling with rank mapping (HDRM; Dong et al., EFLOPS, HPCA 2020): halving_doubling over ranks that
// are placed on a BiGraph without contention.
class HdrmCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
