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

// Splits the switches off. A walk visits the accelerators of a connected group of switches along a spanning
// tree of the group's links (the widest first): it uses every link of the tree once in each direction and
// joins the accelerators in a circle. The bandwidth that the tree's narrowest link lacks is left to the next
// walk. Walks among the same accelerators run in both directions and in several orders. One circle is all
// that accelerators with one link each can use; links to several switches, or left-over bandwidth, give
// several. Channels to or from switches without an equally fast reverse channel remain unused. Returns
// nullopt if there are no switches.
std::optional<Circuits> split_off_switches(const topology::Topology& topology, const CompileRequest& request);

// Translates trees over circuits into trees over the network with switches.
std::vector<PackedTree> through_switches(const Circuits& circuits, std::vector<PackedTree> trees);

}  // namespace coppice::schedule
