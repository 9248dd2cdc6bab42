#pragma once

#include <string>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-reduce over spanning trees of one message an edge, where every message has a setup to pay for: few
// messages, all of one length, in as many whole steps up to the roots as down again, and at most one over a
// channel in a step. Numbers of steps and trees are tried in the order of what they promise, for as long as
// that is less than `limit`. Nothing where messages have no setup, accelerators are not joined by links of
// one bandwidth alike both ways, or none is found.
// `algorithm` is the name that the tables bear.
PackedTables pack_in_steps(const topology::Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, Femtoseconds limit);

}  // namespace coppice::schedule
