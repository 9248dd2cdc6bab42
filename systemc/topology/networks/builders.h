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

// Builders of the kinds that `dims` describe (except make_torus and make_mesh, in topology.h). Each accepts
// one link specification for all channels or one per level (num_link_levels); a channel's `dimension` is its
// level. All links are pairs of channels, one per direction. Each throws UnsupportedError, with a remedy, for
// dims or links that it cannot use.

// dims [n]: a ring, with the ports and datelines of a 1-dimensional torus.
Topology make_ring(std::span<const int> dims, std::span<const LinkSpec> links);

// dims [n]: a channel from every accelerator to every other one; out-channels are in ascending order of
// destination.
Topology make_fully_connected(std::span<const int> dims, std::span<const LinkSpec> links);

// dims [n]: n accelerators on one switch, which is node n; its out-channel to accelerator i is port i.
Topology make_switch(std::span<const int> dims, std::span<const LinkSpec> links);

// Fat trees with full bisection bandwidth and one channel per accelerator.
// - dims [k, n], k >= 2, n >= 1: the k-ary n-tree (Petrini and Vanneschi 1997), k^n accelerators, n levels of
//   k^(n-1) switches; every switch below the top has k channels down and k up. Switch w of level l is node
//   k^n + l·k^(n-1) + w; leaf w holds accelerators k·w to k·w + k - 1; switches of levels l and l + 1 are
//   linked if their base-k numbers agree in every digit but digit l. [8, 2] is the 64-node 8-ary 2-level
//   tree: 8 leaves with 8 accelerators and 8 uplinks each, 8 spines.
// - dims [m, l, s]: two levels of any shape: l leaves of m accelerators each, s spines, m / s parallel links
//   between every leaf and every spine (s divides m). [m, 2, 0] has no spines: m parallel links join the two
//   leaves. [8, 2, 0] is a system of 16 nodes like the DGX-2: two boards of 8 accelerators, with each board's
//   switches combined into one.
// Link levels: 0 between accelerators and leaves, l between switches of levels l - 1 and l. Ports of a
// switch: downward channels in ascending order of destination, then upward channels in the same order.
Topology make_fat_tree(std::span<const int> dims, std::span<const LinkSpec> links);

// dims [m, n], n even: BiGraph (Alibaba's EFLOPS): n switches of m accelerators each, n/2 in a lower and n/2
// in an upper layer, with a link between every lower and every upper switch. With this interpretation of dims
// (m accelerators per switch, n switches in total), 4×8 has 32 and 4×16 has 64 accelerators, and a switch has
// at least as many links to the other layer as accelerators, so that halving-doubling between the layers can
// be free of contention. It also agrees with the 31 and 63 timesteps that the single channel into each
// accelerator requires for an all-gather. Switch i is node m·n + i and holds accelerators m·i to m·i + m - 1;
// the lower switches are those below n/2. Link levels: 0 between accelerators and switches, 1 between the
// layers. Ports of a switch: accelerators, then the switches of the other layer, in ascending order.
Topology make_bigraph(std::span<const int> dims, std::span<const LinkSpec> links);

// No dims: the hybrid cube mesh of NVIDIA's DGX-1 with V100s, 8 accelerators with six links each, 24 links in
// total. The doubled links (0-3, 0-4, 1-2, 1-5, 2-3, 4-7, 5-6, 6-7) are parallel channels. Links are added in
// ascending order of their ends; doubled links are adjacent.
Topology make_dgx1(std::span<const int> dims, std::span<const LinkSpec> links);

// dims [p, a, h] or [p, a, h, g]: a dragonfly (Kim, Dally, Scott and Abts 2008) with g groups of a routers,
// each of which has p accelerators; g defaults to its maximum, a·h + 1. The routers of a group are fully
// connected, and each has h global links to other groups. The global links of a group are numbered router by
// router. They lead to the groups at distances 1, 2, ... g - 1, and start over as long as enough links remain
// for a complete round; the remaining links are unused. Router r of group i is node p·a·g + i·a + r and holds
// p accelerators in order. Link levels: 0 between accelerators and routers, 1 within groups, 2 between
// groups. Ports of a router: accelerators, the group's other routers in ascending order, global links.
Topology make_dragonfly(std::span<const int> dims, std::span<const LinkSpec> links);

// dims [t, s1, s2, ...]: a HyperX (Ahn, Binkert, Davis, McLaren and Schreiber 2009): a grid of s1·s2·...
// switches of t accelerators each, in which switches that differ in only one dimension are linked; [t, n] is
// a fully connected group of n switches, [1, 2, 2, 2] a hypercube. Switch i is node t·s1·s2·... + i, with
// dimension 1 varying fastest. Link levels: 0 between accelerators and switches, d along dimension d. Ports
// of a switch: accelerators, then, dimension by dimension, the other switches in ascending order.
Topology make_hyperx(std::span<const int> dims, std::span<const LinkSpec> links);

}  // namespace coppice::topology
