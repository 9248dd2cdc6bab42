#pragma once

#include <optional>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// A network without its switches: channels between accelerators, some of which represent fixed paths through
// switches, with bandwidth reserved on every channel of the path.
struct Circuits {
  topology::Topology network;
  std::vector<ChannelPath> paths;  // [channel of `network`]: its path in the network with switches
};

// Replaces switches with circuits. A walk visits the accelerators of a connected group of switches along a
// spanning tree of the group's links (widest first): it traverses every link of the tree once in each
// direction and joins the accelerators in a ring. Bandwidth beyond that of the tree's narrowest link is left
// to the next walk. Walks among the same accelerators run in both directions and in several orders.
// Accelerators with one link each can use only one ring; links to several switches, or remaining bandwidth,
// allow several. Bandwidth that a switch's link has in only one direction remains unused. Returns nullopt if
// there are no switches.
std::optional<Circuits> split_off_switches(const topology::Topology& topology, const CompileRequest& request);

// Translates trees over circuits into trees over the network with switches.
std::vector<PackedTree> through_switches(const Circuits& circuits, std::vector<PackedTree> trees);

}  // namespace coppice::schedule
