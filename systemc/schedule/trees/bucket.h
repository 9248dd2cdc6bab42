#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles bucket rings over every dimension of a torus, on all ports (Jain and Sabharwal, "Optimal bucket
// algorithms for large MPI collectives on torus interconnects", ICS 2010; Sack and Gropp, "Collective
// algorithms for multiported torus networks", TOPC 2015). The data is cut into two parts per dimension, one
// for each direction around the rings of the dimension. A part is all-gathered along the rings of one
// dimension after another, beginning with its own dimension. The reduce-scatter is the reverse. Dimensions
// may have any width. If widths differ, the ports of narrow dimensions wait for those of wide dimensions.
// Throws UnsupportedError for other networks.
class BucketCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
