#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// One dimension of a hierarchical system (Themis, Sec. 2.3 and Table 2). In each dimension, every accelerator
// belongs to one group of `size` accelerators, connected by a ring, by links between all pairs, or by a
// switch. `links` is the number of an accelerator's links in this dimension, each with `bandwidth` in either
// direction. Links between the same two nodes form a bundle: a single channel with the sum of their
// bandwidths. Links to a switch may instead be separate channels (if `bundled` is false): routed messages use
// the first of these channels, and schedules that name channels use all of them. In a ring, half of an
// accelerator's links lead to each neighbour; in a one-way ring, all lead to the next neighbour; in a fully
// connected group, the same number of links lead to every other member; with a switch, all links lead to the
// switch. `latency` is the latency of one step, from accelerator to accelerator, without router pipelines;
// each of the two channels through a switch has half of this latency.
struct DimensionSpec {
  DimensionKind kind = DimensionKind::kSwitch;
  int size = 2;
  int links = 1;
  Bandwidth bandwidth;
  Femtoseconds latency = 0;
  bool bundled = true;
  bool in_network = false;  // whether the dimension's switches reduce
  bool operator==(const DimensionSpec&) const = default;
};

// Throws UnsupportedError, with a remedy, if a hierarchy cannot have `spec` as its dimension `d`.
void require_dimension(std::size_t d, const DimensionSpec& spec);

// Builds a hierarchy. Its nodes are the accelerators, numbered with dimension 0 varying fastest, then the
// switches of the lowest switch dimension by group, then those of the next one, and so on; but reducing
// switches precede all others. The out-channels of an accelerator are, dimension by dimension: in a ring, the
// channel to the next and, if it is two-way, to the previous coordinate; in a fully connected group, the
// channels to the coordinates 1, 2, ... further on; with a switch, the channel to it. In-channels correspond
// to out-channels: port i receives from the neighbour whose out-port i leads here. Port i of a switch leads
// to the accelerator with coordinate i in its dimension. Unbundled links, except the first of each dimension,
// are numbered after all other channels. Throws UnsupportedError, with a remedy, for dimensions that cannot
// be built.
Topology make_hierarchy(std::span<const DimensionSpec> dimensions);

// The bandwidth of each channel that `spec` creates.
Bandwidth channel_bandwidth(const DimensionSpec& spec);

// An order of a hierarchy's dimensions.
using DimensionOrder = std::vector<std::size_t>;

// Positions of nodes in a hierarchical topology.
class Hierarchy {
 public:
  // Throws UnsupportedError unless the topology is of kind kHierarchy.
  explicit Hierarchy(const Topology& topology);

  struct Dimension {
    DimensionKind kind;
    int size;
    int stride;      // difference between neighbours' numbers
    int first_port;  // the dimension's first out-channel at each accelerator
    int ports;       // number of the dimension's out-channels at each accelerator
    NodeId first_switch = kNoNode;
    bool in_network = false;
  };
  std::span<const Dimension> dimensions() const { return dimensions_; }

  int coordinate(NodeId accelerator, std::size_t d) const {
    return accelerator / dimensions_[d].stride % dimensions_[d].size;
  }
  // The member of the accelerator's group in dimension `d` that has a given coordinate.
  NodeId peer(NodeId accelerator, std::size_t d, int coordinate_there) const {
    return accelerator + (coordinate_there - coordinate(accelerator, d)) * dimensions_[d].stride;
  }
  // The switch of the accelerator's group, in a switch dimension.
  NodeId switch_of(NodeId accelerator, std::size_t d) const;
  // The dimension to which a switch belongs.
  std::size_t dimension_of_switch(NodeId node) const;

 private:
  int accelerators_;
  std::vector<Dimension> dimensions_;
};

// Dimension-order routing between accelerators: lowest dimension first, in the shorter direction around
// rings. In rings of at least 3, virtual channels are split at a dateline, as on a torus. Decides hop by hop,
// in constant memory. Throws UnsupportedError if `vcs` is below min_vcs().
std::unique_ptr<RoutingFunction> make_hierarchy_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
