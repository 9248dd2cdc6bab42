#pragma once

#include <string>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-reduce over spanning trees with one message per edge, for machines on which every message has a
// setup time: few messages of equal length, in the same number of steps up to the roots and down again, with
// at most one message per channel and step. Numbers of steps and trees are tried in the order of their
// predicted time, as long as it is less than `limit`. Returns no tables if messages have no setup time, if
// the accelerators are not joined by links of one bandwidth in both directions, or if no trees are found.
// `algorithm`: the algorithm's name in the tables.
PackedTables pack_in_steps(const topology::Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, Femtoseconds limit);

}  // namespace coppice::schedule
