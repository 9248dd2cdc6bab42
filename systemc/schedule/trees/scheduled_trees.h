#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/compiler.h"
#include "schedule/compile/table_builder.h"
#include "schedule/tables/schedule.h"
#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// The collective over `trees`: all-gather follows the trees; reduce-scatter runs them reversed in time and
// direction, first. Every accelerator's chunk is cut into as many pieces as it has trees; with a root, all
// the data is its own. Throws UnsupportedError where a channel has none back.
Schedule schedule_trees(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, const Trees& trees);

// The trees' paths and behind them, in the same order, the way back of each; `reverse` as reverse_channels()
// gives it, or empty for the paths alone.
std::vector<ChannelPath> paths_both_ways(const Trees& trees, std::span<const topology::ChannelId> reverse);

// Its messages; without a root, flow f is trees[f].
std::vector<Send> sends_of(const topology::Topology& topology, const CompileRequest& request,
                           const Trees& trees);

// The fewest timesteps in which every accelerator can receive every other's chunk in `pieces`, over channels
// of which the slowest carries one piece a step: an accelerator's in-channels take ceil(pieces (n - 1) /
// in-channels), a channel of k times the slowest one's bandwidth counted k times (LinkAllocator), the exit of
// the worst cut (topology::worst_cut) likewise, and the way from the farthest one takes a step per
// accelerator that it comes to. Throws UnsupportedError naming two accelerators where there is no way.
int least_steps(const topology::Topology& topology, int pieces);

// The most edges on the way from a root.
int depth_of(const Trees& trees);

// The most latencies that a port waits in all, for trees over channels without switches, both phases
// together. Data that comes in one timestep and goes on in the next is late by its way; a channel that once
// is late stays so, and makes late whom it serves.
int waits_of(const Trees& trees);

}  // namespace coppice::schedule
