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

// The collective over `trees`: an all-gather follows the trees; a reduce-scatter runs them reversed in time
// and direction; an all-reduce is a reduce-scatter, then an all-gather. Every accelerator's chunk is cut into
// as many pieces as it has trees; with a root, all the data belongs to the root. Throws UnsupportedError if a
// channel has no reverse.
Schedule schedule_trees(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, const Trees& trees);

// The trees' paths, followed by their reverse paths in the same order. `reverse` comes from
// reverse_channels(); if it is empty, only the paths are returned.
std::vector<ChannelPath> paths_both_ways(const Trees& trees, std::span<const topology::ChannelId> reverse);

// The messages of the collective over `trees`; flow f is the data of trees[f].
std::vector<Send> sends_of(const topology::Topology& topology, const CompileRequest& request,
                           const Trees& trees);

// A lower bound on the timesteps in which every accelerator can receive the chunks of all others in `pieces`
// pieces each, if the slowest channel carries one piece per timestep. It is the largest of ceil(pieces (n -
// 1) / in-channels) over all accelerators, where a channel k times as fast as the slowest counts k times
// (LinkAllocator); the corresponding quotient for the worst cut (topology::worst_cut); and the number of
// accelerators on the longest shortest path, without its start. Throws UnsupportedError if an accelerator
// cannot reach another.
int least_steps(const topology::Topology& topology, int pieces);

// The maximum number of edges on a path from a root.
int depth_of(const Trees& trees);

// The largest number of latencies for which a port waits over both phases, for trees over channels without
// switches. Data that arrives in one timestep and is forwarded in the next is late by its latency; a port
// that was late once stays late and delays the ports to which it sends.
int waits_of(const Trees& trees);

}  // namespace coppice::schedule
