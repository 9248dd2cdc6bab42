#pragma once

#include <span>
#include <string>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// As compile_plans() (hierarchical.h), on hierarchies in which the switches of some dimensions add what they
// are sent (in-network reduction; Themis, Sec. 4.5). Such a switch is a node with tables of its own, a port
// for every accelerator of its group, and data that starts at nothing. In its dimension,
//
// - a reduce-scatter sends the parts of the others up, and down the others' sum of an accelerator's own part,
//   which it adds (an own part that went up and came back would overwrite what other dimensions bring early);
//
// - an all-gather sends an accelerator's part up, and those of the others down to it;
//
// - an all-reduce's reduce-scatter and the all-gather that follows it in the same dimension are one: all that
//   an accelerator holds goes up, the sum comes down.
//
// Messages that go up or come down take as long for all accelerators but for the rounding to flits: networks
// on which a flit more or less makes trains meet are not free of contention (CheckReport). Both phases
// together, an accelerator sends what it holds once. It waits for two messages one after the other in each: a
// switch sends what it has added when all of it is there. Throws like compile_plans(), but such switches may
// have any size.
//
// Where no switch adds, all-gathers may go any way: what is gathered out of the order back lies in several
// places between pieces that are not (ChunkStage::runs), and goes in as many messages.
Schedule compile_offloaded(const topology::Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, std::span<const ChunkPlan> plans,
                           IntraDimension policy);

// Whether a chunk is all-gathered the way back that it was reduce-scattered, if it is both.
bool goes_back(const ChunkPlan& plan);

}  // namespace coppice::schedule
