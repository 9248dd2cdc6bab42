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
// `links` are those of one accelerator in this dimension, each with `bandwidth` in either direction. Links
// that connect the same two nodes form a bundle: flits use all of them side by side, so a bundle is one
// channel with the sum of their bandwidths. Links to a switch may also be separate channels (`bundled` is
// false): routed messages take the first of them, and schedules that name their channels use all. A ring has
// half of its links towards either neighbour, a one-way ring all of them towards the next; a fully connected
// group has equally many towards each member, a switch all of them. `latency` is that of one step, from
// accelerator to accelerator; each of the two channels through a switch has half of it. The routers'
// pipelines are added to that.
struct DimensionSpec {
  DimensionKind kind = DimensionKind::kSwitch;
  int size = 2;
  int links = 1;
  Bandwidth bandwidth;
  Femtoseconds latency = 0;
  bool bundled = true;
  bool in_network = false;  // its switches add what they receive
  bool operator==(const DimensionSpec&) const = default;
};

// Throws UnsupportedError, with a remedy, if `spec` cannot be dimension `d` of any hierarchy.
void require_dimension(std::size_t d, const DimensionSpec& spec);

// Builds a hierarchy. Nodes are the accelerators, numbered with dimension 0 varying fastest, then the
// switches of the lowest switch dimension by group, then those of the next; reducing switches precede all
// others. The out-channels of an accelerator are, dimension by dimension: for a ring, the one to the next
// and, if it is two-way, to the previous coordinate; for a fully connected group, those to the coordinates 1,
// 2, ... further on; for a switch, the one to it. In-channels correspond: a port receives from the neighbour
// that sends through its own port of that number. Port i of a switch is the accelerator with coordinate i in
// its dimension. Links that are not bundled come after all others, except for the first of each. Throws
// UnsupportedError, with a remedy, for dimensions that cannot be built.
Topology make_hierarchy(std::span<const DimensionSpec> dimensions);

// The bandwidth of each channel that `spec` creates.
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
    int stride;      // difference between the numbers of neighbours
    int first_port;  // the first of its out-channels at each accelerator
    int ports;       // the number of its out-channels at each accelerator
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
  // The dimension to which a switch belongs.
  std::size_t dimension_of_switch(NodeId node) const;

 private:
  int accelerators_;
  std::vector<Dimension> dimensions_;
};

// Dimension-order routing between accelerators: lowest dimension first, the shorter direction around a ring,
// with the virtual channels of rings of 3 and more split at a dateline as on a torus. Decides hop by hop;
// memory is constant. Throws UnsupportedError if `vcs` is below min_vcs().
std::unique_ptr<RoutingFunction> make_hierarchy_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
