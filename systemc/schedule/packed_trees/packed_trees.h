#pragma once

#include <limits>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"

namespace coppice::schedule {

// Chooses trees and the sizes and order of their pieces, and builds the tables. Returns no tables if early
// estimates exceed `limit`.
PackedTables pack_trees(const topology::Topology& topology, const CompileRequest& request,
                        Femtoseconds limit = std::numeric_limits<Femtoseconds>::max());

// Compiles trees that together use all available bandwidth (Edmonds, Nash-Williams, Tutte; Blink,
// ForestColl). Each tree carries an equal share of the data in pieces. These are pipelined up to the tree's
// root and down again, so both directions of all links are busy at the same time. If the number of pieces is
// automatic and the tables of multitree_optimal (multitree on networks with switches) are expected to finish
// sooner, these tables are used instead.
class PackedTreesCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
