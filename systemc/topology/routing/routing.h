#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The virtual channels a packet may take: [begin, end).
struct VcRange {
  std::uint8_t begin = 0;
  std::uint8_t end = 0;
  bool operator==(const VcRange&) const = default;
};

// The route of one packet through one router: the output port, and the virtual channels that it may use on
// the next channel. Output ports below the number of out-channels are those channels; higher ones are
// ejection ports of the network interface.
struct Hop {
  std::uint16_t out_port = 0;
  VcRange vcs;
  bool operator==(const Hop&) const = default;
};

// One hop per router traversed; the last is an ejection port at the destination.
using Route = std::vector<Hop>;

// State that a packet carries from router to router for its routing decisions.
struct RouteState {
  std::uint32_t tie_bits = 0;  // bit d: direction in dimension d if both are equally short
  std::int8_t dimension = -1;  // the dimension in which it travels; -1 before the first
  std::int8_t direction = 0;   // 0 towards higher coordinates, 1 towards lower
  std::uint8_t dateline_class = 0;
};

// A routing function that decides hop by hop.
class RoutingFunction {
 public:
  virtual ~RoutingFunction() = default;

  // The next hop of a packet at `at` towards `dst`; ejection goes to NI port `ejection_port`. Updates
  // `state`, which starts default-initialised (with tie_bits chosen by the sender) at the source router. The
  // result depends only on the arguments; tie bit d matters only where the packet turns into dimension d.
  virtual Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const = 0;

  // The number of dimensions that may have ties, and so of tie bits in use.
  virtual int num_tie_bits() const = 0;

  virtual int num_vcs() const = 0;
};

// The whole route from src to dst by `routing`. Throws ModelError if it does not reach dst.
Route make_route(const Topology& topology, const RoutingFunction& routing, NodeId src, NodeId dst,
                 std::uint32_t tie_bits, int ejection_port);

// The virtual channels that dimension-order routing needs: two classes around the dateline of a ring (in a
// hierarchy or a torus dimension of width 3 or more), otherwise one.
int min_vcs(const Topology& topology);

// Dimension-order routing on a torus, mesh or ring: lowest dimension first, in the shorter direction. On a
// torus the virtual channels are split into two halves at a dateline between the last and the first node of
// every ring: packets that will cross it use the upper half along that dimension, the others the lower half.
// The last hop, into the network interface, uses all of them, and so does a dimension of width 2, which is
// not a ring. Throws UnsupportedError if `vcs` is below min_vcs().
std::unique_ptr<RoutingFunction> make_dimension_order_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
