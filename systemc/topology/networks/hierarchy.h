#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// One dimension of a hierarchical system (Themis, Sec. 2.3 and Table 2): every accelerator belongs to one
// group of `size` along it, connected by a ring, by links between all pairs, or by a switch.
//
// `links` are those of one accelerator in this dimension, each with `bandwidth` either way. Links that join
// the same two nodes are a bundle: flits go over all of them side by side, so that a bundle is one channel of
// their bandwidths' sum. Those to a switch may also be channels of their own (`bundled` is false): what is
// routed takes the first of them, and schedules that name their channels have all. A ring has half of its
// links towards either neighbour, one that goes one way all of them towards the next, a fully connected group
// the same number towards each, a switch all of them.
// `latency` is that of one step, from accelerator to accelerator; the two channels through a switch have half
// of it each. The routers' pipelines come on top.
struct DimensionSpec {
  DimensionKind kind = DimensionKind::kSwitch;
  int size = 2;
  int links = 1;
  Bandwidth bandwidth;
  Femtoseconds latency = 0;
  bool bundled = true;
  bool in_network = false;  // its switches add what they are sent
  bool operator==(const DimensionSpec&) const = default;
};

// Throws UnsupportedError, with what to write instead, if `spec` cannot be dimension `d` of any hierarchy.
void require_dimension(std::size_t d, const DimensionSpec& spec);

// Nodes: accelerators numbered with dimension 0 fastest, then the switches of the lowest switch dimension by
// group, then those of the next; switches that add come before all others. Out-channels of an accelerator,
// dimension by dimension: a ring's towards the next and, if it goes both ways, towards the previous
// coordinate; a fully connected group's towards the coordinates 1, 2, ... further on; the one to the switch.
// In-channels lie alike: at the same port comes what a neighbour sends out of that port of its own. Port i of
// a switch is the accelerator with coordinate i in its dimension. Links that are not bundled come after all
// others, but for the first of each. Throws UnsupportedError, with what would be right, for dimensions that
// cannot be built.
Topology make_hierarchy(std::span<const DimensionSpec> dimensions);

// Bandwidth of each of the channels that `spec` makes.
Bandwidth channel_bandwidth(const DimensionSpec& spec);

// The dimensions of a hierarchy in some order.
using DimensionOrder = std::vector<std::size_t>;

// Positions of nodes in a hierarchical topology.
class Hierarchy {
 public:
  // Throws UnsupportedError unless the topology is of kind kHierarchy.
  explicit Hierarchy(const Topology& topology);

  struct Dimension {
    DimensionKind kind;
    int size;
    int stride;      // between the numbers of neighbours
    int first_port;  // the first of its out-channels at every accelerator
    int ports;       // how many it has there
    NodeId first_switch = kNoNode;
    bool in_network = false;
  };
  std::span<const Dimension> dimensions() const { return dimensions_; }

  int coordinate(NodeId accelerator, std::size_t d) const {
    return accelerator / dimensions_[d].stride % dimensions_[d].size;
  }
  // The accelerator of the same group with another coordinate.
  NodeId peer(NodeId accelerator, std::size_t d, int coordinate_there) const {
    return accelerator + (coordinate_there - coordinate(accelerator, d)) * dimensions_[d].stride;
  }
  // The switch of the accelerator's group, in a switch dimension.
  NodeId switch_of(NodeId accelerator, std::size_t d) const;
  // The dimension that a switch belongs to.
  std::size_t dimension_of_switch(NodeId node) const;

 private:
  int accelerators_;
  std::vector<Dimension> dimensions_;
};

// Dimension-order routing between accelerators: lowest dimension first, the shorter way around a ring, with
// the virtual channels of rings of 3 and more split at a dateline as on a torus. Decides hop by hop; memory
// is constant. Throws UnsupportedError if `vcs` is below min_vcs().
std::unique_ptr<RoutingFunction> make_hierarchy_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
