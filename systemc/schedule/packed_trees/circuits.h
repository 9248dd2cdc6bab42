#pragma once

#include <optional>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// A network whose switches have been replaced by channels between accelerators. Such a channel represents a
// fixed path through switches, with bandwidth reserved on every channel of the path.
struct Circuits {
  topology::Topology network;
  std::vector<ChannelPath> paths;  // [channel of `network`]: its path in the network with switches
};

// Replaces switches with circuits that join accelerators in rings. In each group of connected switches, a
// walk follows a spanning tree of the group's links (widest first) and traverses every link of the tree once
// in each direction. The ring visits the accelerators in the order of the walk and has the bandwidth of the
// tree's narrowest link; further walks use the remaining bandwidth. Repeated walks among the same
// accelerators alternate in direction and visit the accelerators in several orders. Bandwidth that a link to
// a switch has in only one direction remains unused. Returns nullopt if there are no switches.
std::optional<Circuits> split_off_switches(const topology::Topology& topology, const CompileRequest& request);

// Translates trees over circuits into trees over the network with switches.
std::vector<PackedTree> through_switches(const Circuits& circuits, std::vector<PackedTree> trees);

}  // namespace coppice::schedule
