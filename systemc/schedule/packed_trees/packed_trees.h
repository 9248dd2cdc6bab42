#pragma once

#include <limits>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"

namespace coppice::schedule {

// Chooses trees, pieces and their order; returns no tables if early estimates exceed `limit`.
PackedTables pack_trees(const topology::Topology& topology, const CompileRequest& request,
                        Femtoseconds limit = std::numeric_limits<Femtoseconds>::max());

// Trees that together use all available bandwidth (Edmonds, Nash-Williams, Tutte; Blink, ForestColl): each
// tree carries an equal share of the data, in pieces that follow one another up to its root and down again,
// so that both directions of all links work at the same time. If the number of pieces is automatic, the
// tables of multitree_optimal (or multitree, if there are switches) are used instead if they are expected to
// finish sooner.
class PackedTreesCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
