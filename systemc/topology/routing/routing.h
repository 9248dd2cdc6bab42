#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The range [begin, end) of virtual channels that a packet may use.
struct VcRange {
  std::uint8_t begin = 0;
  std::uint8_t end = 0;
  bool operator==(const VcRange&) const = default;
};

// A packet's path through one router: the output port, and the virtual channels that the packet may use on
// the next channel. Output ports below the number of outgoing channels lead to these channels. Higher ports
// are ejection ports of the network interface.
struct Hop {
  std::uint16_t out_port = 0;
  VcRange vcs;
  bool operator==(const Hop&) const = default;
};

// One hop for each router on the way. The last hop is an ejection port at the destination.
using Route = std::vector<Hop>;

// The routing state that a packet carries from router to router.
struct RouteState {
  std::uint32_t tie_bits = 0;  // bit d: direction in dimension d if both directions are equally short
  std::int8_t dimension = -1;  // current dimension; -1 before the first dimension
  std::int8_t direction = 0;   // 0: towards higher coordinates, 1: towards lower coordinates
  std::uint8_t dateline_class = 0;
};

// A routing function that decides hop by hop.
class RoutingFunction {
 public:
  virtual ~RoutingFunction() = default;

  // Returns the next hop of a packet at node `at` on its way to `dst`, where it is ejected at NI port
  // `ejection_port`. Updates `state`, which is default-initialised at the source router except for tie_bits,
  // which the sender chooses. The result depends only on the arguments. Tie bit d is used only when the
  // packet turns into dimension d.
  virtual Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const = 0;

  // The number of tie bits that next_hop() may use, counted from bit 0.
  virtual int num_tie_bits() const = 0;

  virtual int num_vcs() const = 0;
};

// Returns the complete route from `src` to `dst` according to `routing`. Throws ModelError if the route does
// not reach `dst`.
Route make_route(const Topology& topology, const RoutingFunction& routing, NodeId src, NodeId dst,
                 std::uint32_t tie_bits, int ejection_port);

// The minimum number of virtual channels for dimension-order routing. It is two if a hierarchy or torus has a
// ring of width 3 or more, because the dateline of such a ring requires two classes; otherwise, it is one.
int min_vcs(const Topology& topology);

// Creates dimension-order routing for a torus, mesh or ring: lowest dimension first, in the shorter
// direction. On a torus, there is a dateline between the last and the first node of every ring, so the
// virtual channels are divided into two halves. Along a dimension, packets that have to cross the dateline
// use the upper half, and all other packets use the lower half. All virtual channels may be used on the last
// hop, which leads to the network interface, and in dimensions of width 2, which are not rings. Throws
// UnsupportedError if `vcs` is below min_vcs().
std::unique_ptr<RoutingFunction> make_dimension_order_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
