#pragma once

#include <vector>

#include "topology/routing/deadlock.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Provides the loads of a router's outputs.
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
  // Preferred hops, best first. A hop can be used if one of its virtual channels has room.
  std::vector<Hop> adaptive{};
};

// Routing that spreads packets over several paths, either through random nodes or according to the loads of
// router outputs. Packets carry 31 random tie bits.
//
// For freedom from deadlock, the dependencies among the virtual channels of NextHops::hop
// (add_dependencies()) must have no cycles. A packet that has used one of these virtual channels instead of
// NextHops::adaptive must continue to use them. A virtual channel of NextHops::adaptive is allocated only if
// its buffer is empty or has room for the entire packet. Therefore, every packet whose head waits at the
// front of a buffer may take NextHops::hop, and all other packets wait only for such packets (Ma, Enright
// Jerger and Wang 2012).
class DetourRouting : public RoutingFunction {
 public:
  int num_tie_bits() const override { return 31; }

  // Returns the possible next hops of a packet at a router whose outputs have the given loads. next_hop()
  // returns a hop without regard to loads.
  virtual NextHops ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                        const OutputLoads& loads) const = 0;
  // Updates the state of a packet that takes NextHops::hop although adaptive hops were available.
  virtual void advance_state(RouteState& state) const = 0;
  // Adds the dependencies of all hops that may occur as NextHops::hop.
  virtual void add_dependencies(ChannelDependencyGraph& graph) const = 0;
};

// Kinds of routing in which packets do not take a single, predetermined shortest path.
enum class Detours { kValiant, kAdaptive, kUgal };

}  // namespace coppice::topology
