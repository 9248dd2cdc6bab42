#pragma once

#include <vector>

#include "topology/routing/deadlock.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Provides the load of a router's outputs.
class OutputLoads {
 public:
  // The number of flits that were sent through an output port and may still occupy buffer slots downstream.
  virtual int waiting(int out_port) const = 0;

 protected:
  ~OutputLoads() = default;
};

// The possible next hops of a packet at a router.
struct NextHops {
  Hop hop;  // always permitted
  // Preferred hops, best first, each usable while one of its virtual channels has room.
  std::vector<Hop> adaptive{};
};

// Routing that spreads packets over several paths: through random nodes, or depending on the load of router
// outputs. Packets carry 31 random tie bits. The dependencies among the virtual channels of NextHops::hop
// (add_dependencies()) must be free of cycles. A packet that has used one of these instead of
// NextHops::adaptive continues to use them. A virtual channel of NextHops::adaptive is allocated only if its
// buffer is empty or has room for the entire packet. Thus every packet whose head waits in front of a buffer
// may take NextHops::hop, and all other packets wait only for such packets (Ma, Enright Jerger and Wang
// 2012).
class DetourRouting : public RoutingFunction {
 public:
  int num_tie_bits() const override { return 31; }

  // The possible next hops of a packet at a router with `loads`; next_hop() is the counterpart without loads.
  virtual NextHops ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                        const OutputLoads& loads) const = 0;
  // Records that a packet takes NextHops::hop although there were adaptive hops.
  virtual void advance_state(RouteState& state) const = 0;
  // Adds the dependencies of every NextHops::hop.
  virtual void add_dependencies(ChannelDependencyGraph& graph) const = 0;
};

// The kinds of routing that do not use a single, predetermined shortest path.
enum class Detours { kValiant, kAdaptive, kUgal };

}  // namespace coppice::topology
