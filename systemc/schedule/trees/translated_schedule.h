#pragma once

#include <string>

#include "schedule/compile/compiler.h"
#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether translations of coordinates preserve every direction, and channels are numbered in the order of
// nodes.
bool channels_translate(const topology::Topology& topology);

// Whether the tables of a torus' translated trees, `pieces` per accelerator, should be stored as those of
// accelerator 0 (pattern_pays()): translations map the graph onto itself, and no channel counts as several
// (LinkAllocator).
bool may_translate(const topology::Topology& topology, const CompileRequest& request, int pieces);

// Whether every channel of an accelerator has its own NI port. Otherwise, a port may send several messages in
// a timestep, in an order that depends on how the tables are stored.
bool has_port_per_channel(const topology::Topology& topology, const CompileRequest& request);

// The schedule over the trees of accelerator 0 (`trees`) and all translations of these trees. Requires
// may_translate().
Schedule schedule_translations(const topology::Topology& topology, const CompileRequest& request,
                               const std::string& algorithm, const Trees& trees);

}  // namespace coppice::schedule
