#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// One dimension of a hierarchical system (Themis, Sec. 2.3 and Table 2). In each dimension, every accelerator
// belongs to one group of `size` accelerators, which are connected by a ring, by links between all pairs, or
// by a switch.
//
// `links` is the number of an accelerator's links in this dimension. Each link has `bandwidth` in either
// direction. In a ring, half of an accelerator's links lead to each neighbour. In a one-way ring, all links
// lead to the next neighbour. In a fully connected group, the same number of links leads to every other
// member. With a switch, all links lead to the switch. Links between the same two nodes form a bundle, which
// is a single channel with the sum of their bandwidths. Links to a switch may instead be separate channels
// (if `bundled` is false): routed messages then use the first of these channels, and schedules that name
// channels use all of them. With `planes`, each of these channels leads to a switch of its own.
//
// `latency` is the latency of one step from accelerator to accelerator, excluding router pipelines. Each of
// the two channels through a switch has half of this latency.
struct DimensionSpec {
  DimensionKind kind = DimensionKind::kSwitch;
  int size = 2;
  int links = 1;
  Bandwidth bandwidth;
  Femtoseconds latency = 0;
  bool bundled = true;
  bool planes = false;
  bool in_network = false;  // whether the switches of the dimension reduce data
  bool operator==(const DimensionSpec&) const = default;
};

// Throws UnsupportedError, with a remedy, if `spec` cannot be dimension `d` of a hierarchy.
void require_dimension(std::size_t d, const DimensionSpec& spec);

// Builds a hierarchy. The accelerators are numbered such that dimension 0 varies fastest. They are followed
// by the switches of the lowest switch dimension, ordered by group, then by those of the next switch
// dimension, and so on. However, reducing switches precede all other switches.
//
// The outgoing channels of an accelerator are ordered by dimension. In a ring, they lead to the next
// coordinate and, if the ring is two-way, to the previous coordinate. In a fully connected group, they lead
// to the coordinates at distances 1, 2, and so on. With a switch, they lead to the switch. Incoming channels
// correspond to outgoing channels: port i receives from the neighbour whose output port i leads to this
// accelerator. Port i of a switch leads to the accelerator with coordinate i in the switch's dimension.
// Unbundled links, except the first one of each dimension, are numbered after all other channels, and the
// switches of such links (`planes`) after all other switches. Throws UnsupportedError, with a remedy, if the
// dimensions cannot be built.
Topology make_hierarchy(std::span<const DimensionSpec> dimensions);

// Returns the bandwidth of each channel that `spec` creates.
Bandwidth channel_bandwidth(const DimensionSpec& spec);

// One of the unbundled links of every accelerator to its switch in a dimension. Through the lane, an
// accelerator sends by port `out_port`, and the switch sends to coordinate i by port `first_switch_port` + i.
struct Lane {
  int out_port = 0;
  int first_switch_port = 0;
};
// [dimension]: its lanes; empty for dimensions without switches.
std::vector<std::vector<Lane>> lanes_of(const Topology& hierarchy);

// An order of the dimensions of a hierarchy.
using DimensionOrder = std::vector<std::size_t>;

// The positions of nodes in a hierarchical topology.
class Hierarchy {
 public:
  // Throws UnsupportedError unless the topology is of kind kHierarchy.
  explicit Hierarchy(const Topology& topology);

  struct Dimension {
    DimensionKind kind;
    int size;
    int stride;      // difference between the node numbers of neighbours
    int first_port;  // first outgoing channel of the dimension at each accelerator
    int ports;       // number of outgoing channels of the dimension at each accelerator
    NodeId first_switch = kNoNode;
    bool in_network = false;
  };
  std::span<const Dimension> dimensions() const { return dimensions_; }

  int coordinate(NodeId accelerator, std::size_t d) const {
    return accelerator / dimensions_[d].stride % dimensions_[d].size;
  }
  // Returns the accelerator with a given coordinate in the same group of dimension `d`.
  NodeId peer(NodeId accelerator, std::size_t d, int coordinate_there) const {
    return accelerator + (coordinate_there - coordinate(accelerator, d)) * dimensions_[d].stride;
  }
  // Returns the switch of an accelerator's group in a switch dimension.
  NodeId switch_of(NodeId accelerator, std::size_t d) const;
  // Returns the dimension to which a switch belongs.
  std::size_t dimension_of_switch(NodeId node) const;

 private:
  int accelerators_;
  std::vector<Dimension> dimensions_;
};

// Creates dimension-order routing between accelerators: lowest dimension first, and in the shorter direction
// around rings. In rings of at least 3 accelerators, virtual channels are split at a dateline, as on a torus.
// The routing decides hop by hop and uses constant memory. Throws UnsupportedError if `vcs` is below
// min_vcs().
std::unique_ptr<RoutingFunction> make_hierarchy_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
