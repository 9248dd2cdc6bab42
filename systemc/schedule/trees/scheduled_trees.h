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

// Builds the collective over `trees`. An all-gather follows the trees, a reduce-scatter runs them reversed in
// time and direction, and an all-reduce is a reduce-scatter followed by an all-gather. The chunk of every
// accelerator is cut into as many pieces as the accelerator has trees. If there is a root, all the data
// belongs to it. Throws UnsupportedError if a channel has no reverse channel.
Schedule schedule_trees(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, const Trees& trees);

// Returns the paths of the trees, followed by their reverse paths in the same order. `reverse` comes from
// reverse_channels(); if it is empty, only the paths of the trees are returned.
std::vector<ChannelPath> paths_both_ways(const Trees& trees, std::span<const topology::ChannelId> reverse);

// Returns the messages of the collective over `trees`. Flow f carries the data of trees[f].
std::vector<Send> sends_of(const topology::Topology& topology, const CompileRequest& request,
                           const Trees& trees);

// Returns a lower bound on the number of timesteps in which every accelerator can receive the chunks of all
// other accelerators, in `pieces` pieces each, if the slowest channel carries one piece per timestep. The
// bound is the largest of three numbers: the maximum of ceil(pieces (n - 1) / incoming channels) over all
// accelerators, where a channel k times as fast as the slowest counts k times (LinkAllocator); the
// corresponding quotient for the worst cut (topology::worst_cut); and the number of accelerators on the
// longest of all shortest paths, excluding its start. Throws UnsupportedError if an accelerator cannot reach
// another.
int least_steps(const topology::Topology& topology, int pieces);

// Returns the maximum number of edges on a path from a root.
int depth_of(const Trees& trees);

// Returns the largest number of latencies for which a port waits over both phases. Applies only to trees over
// channels without switches. If data arrives in one timestep and is forwarded in the next, it is late by the
// latency of its channel. A port that was late once stays late and delays the ports to which it sends.
int waits_of(const Trees& trees);

}  // namespace coppice::schedule
