#pragma once

#include <string>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-reduce over spanning trees with one message per edge, for machines on which every message has a
// setup time: few messages of equal length, in the same number of steps up to the roots and down again, with
// at most one message per channel in each step. Combinations of step and tree counts are tried in order of
// predicted time, while that is below `limit`. Returns no tables if messages have no setup time, if the links
// between accelerators do not all have the same bandwidth in both directions, or if no trees are found.
// `algorithm`: the algorithm's name in the tables.
PackedTables pack_in_steps(const topology::Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, Femtoseconds limit);

}  // namespace coppice::schedule
