#pragma once

#include <string>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Builds tables for an all-reduce that sends one message over each edge of spanning trees. Such tables suit
// machines on which every message has a setup time: there are few messages, all of the same length, and at
// most one per channel in each step. Sums and values take the same number of steps. Combinations of step and
// tree counts are tried in order of predicted time, as long as that is below `limit`. Returns no tables if
// messages have no setup time, if the links between accelerators do not all have the same bandwidth in both
// directions, or if no trees are found. `algorithm` is the algorithm's name in the tables.
PackedTables pack_in_steps(const topology::Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, Femtoseconds limit);

}  // namespace coppice::schedule
