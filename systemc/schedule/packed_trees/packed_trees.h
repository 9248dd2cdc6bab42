#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// Trees that together use all the bandwidth that there is (Edmonds, Nash-Williams, Tutte; Blink, ForestColl):
// every tree has an equal share of the data, in pieces that follow one another up to its root and down again,
// so that both directions of all links work at the same time.
class PackedTreesCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
