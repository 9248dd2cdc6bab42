#pragma once

#include <optional>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// A network without its switches: channels between accelerators, some of which stand for fixed paths through
// switches, with bandwidth reserved for them on all channels of the path.
struct Circuits {
  topology::Topology network;
  std::vector<ChannelPath> paths;  // [channel of `network`]: its channels in the network with switches
};

// Splits the switches off. A connected group of switches is walked around along a spanning tree of its links
// (the widest first), from accelerator to accelerator: that uses every link of the tree once each way, joins
// its accelerators in a circle, and leaves what the narrowest link of the tree has not to the next walk.
// Walks among the same accelerators go both ways around and in several orders. A circle is as much as
// accelerators with one link each can use; links to several switches, or left over bandwidth, make several.
// Channels to or from switches that have none back of their bandwidth remain unused. Nothing where there are
// no switches.
std::optional<Circuits> split_off_switches(const topology::Topology& topology, const CompileRequest& request);

// Trees over circuits as trees over the network with switches.
std::vector<PackedTree> through_switches(const Circuits& circuits, std::vector<PackedTree> trees);

}  // namespace coppice::schedule
