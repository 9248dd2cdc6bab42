#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Builders for all kinds of networks that are described by `dims`, except for make_torus and make_mesh, which
// are in topology.h. `links` is one link specification for all channels or one per level (num_link_levels).
// The `dimension` of a channel is its level. All links are pairs of channels, one per direction. Each builder
// throws UnsupportedError, with a remedy, if it cannot use the given dims or links.

// Builds a ring with dims [n]. Its ports and datelines are those of a 1-dimensional torus.
Topology make_ring(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds a fully connected network with dims [n], which has a channel from every accelerator to every other
// accelerator. Outgoing channels are in ascending order of destination.
Topology make_fully_connected(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds a switch network with dims [n]: n accelerators are connected to one switch, which is node n. Port i
// of the switch leads to accelerator i.
Topology make_switch(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds a fat tree with full bisection bandwidth and one channel per accelerator.
// - dims [k, n], where k >= 2 and n >= 1, describe the k-ary n-tree (Petrini and Vanneschi 1997). It has
//   k^n accelerators and n levels of k^(n-1) switches. Every switch below the top level has k channels down
//   and k channels up. Switch w of level l is node k^n + l·k^(n-1) + w, and leaf w holds accelerators k·w
//   to k·w + k - 1. Switches of levels l and l + 1 are linked if their base-k numbers agree in every digit
//   except digit l. For example, [8, 2] has 64 accelerators, 8 leaves with 8 accelerators and 8 uplinks
//   each, and 8 spines.
// - dims [m, l, s] describe two levels of any shape: l leaves of m accelerators each, s spines, and m / s
//   parallel links between every leaf and every spine (s must divide m). [m, 2, 0] has no spines; m
//   parallel links join the two leaves. [8, 2, 0] is a system of 16 accelerators like the DGX-2: two boards
//   of 8 accelerators, where the switches of each board are combined into one.
// Link level 0 is between accelerators and leaves; level l is between switches of levels l - 1 and l. The
// ports of a switch are its downward channels in ascending order of destination, then its upward channels in
// the same order.
Topology make_fat_tree(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds a BiGraph (Alibaba's EFLOPS) with dims [m, n], where n is even. It has n switches of m accelerators
// each, n/2 in a lower and n/2 in an upper layer. Every lower switch is linked to every upper switch.
//
// Since m is the number of accelerators per switch and n the total number of switches, 4×8 has 32
// accelerators and 4×16 has 64. A switch then has at least as many links to the other layer as it has
// accelerators, so that halving-doubling between the layers can be free of contention. This interpretation of
// dims also agrees with the 31 and 63 timesteps that an all-gather needs because of the single channel into
// each accelerator.
//
// Switch i is node m·n + i and holds accelerators m·i to m·i + m - 1; the lower switches are those below n/2.
// Link level 0 is between accelerators and switches, and level 1 between the layers. The ports of a switch
// are its accelerators, then the switches of the other layer, in ascending order.
Topology make_bigraph(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds the hybrid cube mesh of NVIDIA's DGX-1 with V100s, which has no dims. It has 8 accelerators with six
// links each, 24 links in total. The doubled links (0-3, 0-4, 1-2, 1-5, 2-3, 4-7, 5-6, 6-7) are parallel
// channels. Links are added in ascending order of their ends, so doubled links are adjacent.
Topology make_dgx1(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds a dragonfly (Kim, Dally, Scott and Abts 2008) with dims [p, a, h] or [p, a, h, g]. There are `g`
// groups of `a` routers. Each router has `p` accelerators and `h` global links to other groups, and the
// routers of a group are fully connected. By default, `g` is its maximum, a·h + 1.
//
// The global links of a group are numbered router by router. In this order, they lead to the groups at
// distances 1, 2, ..., g - 1, then again from 1, as long as enough links are left for a complete round; the
// remaining links are not used. Router r of group i is node p·a·g + i·a + r and holds p accelerators in
// order. Link level 0 is between accelerators and routers, level 1 within groups, and level 2 between groups.
// The ports of a router are its accelerators, the other routers of its group in ascending order, and its
// global links.
Topology make_dragonfly(std::span<const int> dims, std::span<const LinkSpec> links);

// Builds a HyperX (Ahn, Binkert, Davis, McLaren and Schreiber 2009) with dims [t, s1, s2, ...]: a grid of
// s1·s2·... switches of t accelerators each, in which switches that differ in only one dimension are linked.
// For example, [t, n] is a fully connected group of n switches, and [1, 2, 2, 2] is a hypercube. Switch i is
// node t·s1·s2·... + i, where dimension 1 varies fastest. Link level 0 is between accelerators and switches,
// and level d is along dimension d. The ports of a switch are its accelerators and then, dimension by
// dimension, the other switches in ascending order.
Topology make_hyperx(std::span<const int> dims, std::span<const LinkSpec> links);

}  // namespace coppice::topology
