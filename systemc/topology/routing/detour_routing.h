#pragma once

#include <vector>

#include "topology/routing/deadlock.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// The load of a router's outputs.
class OutputLoads {
 public:
  // The number of flits sent through an output port whose downstream slots are not known to be free.
  virtual int waiting(int out_port) const = 0;

 protected:
  ~OutputLoads() = default;
};

// The possible next hops of a packet at a router.
struct Ways {
  Hop hop;                      // always there for it
  std::vector<Hop> adaptive{};  // better ones, while a virtual channel there has room; in order of preference
};

// Routing that spreads packets over several paths: through a random node, or by the load of the routers'
// outputs. Packets bring 31 random tie bits.
//
// Virtual channels of Ways::hop depend on each other without a cycle (add_dependencies()). A packet that took
// one of them instead of Ways::adaptive stays with them; one of Ways::adaptive is given only where its buffer
// is empty or has room for the whole packet, so that every packet whose head waits in front of a buffer may
// take Ways::hop, and no other packet waits for more than such a one (Ma, Enright Jerger and Wang 2012).
class DetourRouting : public RoutingFunction {
 public:
  int num_tie_bits() const override { return 31; }

  // The possible hops of a packet in a router with `loads`; next_hop() is the same without loads.
  virtual Ways ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                    const OutputLoads& loads) const = 0;
  // A packet takes Ways::hop although there were adaptive ones.
  virtual void take_hop(RouteState& state) const = 0;
  // Adds the dependencies of every Ways::hop.
  virtual void add_dependencies(ChannelDependencyGraph& graph) const = 0;
};

// The ways beyond the shortest that is known ahead.
enum class Detours { kValiant, kAdaptive, kUgal };

}  // namespace coppice::topology
