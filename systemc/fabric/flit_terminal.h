#pragma once

#include <span>

#include "fabric/packet.h"

namespace coppice::fabric {

// A network interface that takes and gives flits itself: in the place of the injection ports, Injectors and
// Ejectors of all ports of a node. Called within a cycle in this order: all flits and credits that come, then
// step().
class FlitTerminal {
 public:
  virtual ~FlitTerminal() = default;

  // A flit came out of the ejection channel of `port`.
  virtual void receive_flit(int port, int vc, Flit flit, const Packet& packet, Cycles now) = 0;
  // A buffer place of virtual channel `vc` of the router's input is free again.
  virtual void receive_credit(int port, int vc) = 0;

  // A flit that goes into the injection channel of `port` in this cycle, at most one a port.
  struct Injected {
    int port;
    int vc;
    Flit flit;
  };
  struct Outcome {
    std::span<const Injected> flits;  // valid until the next call; by ascending port
    Cycles wake_at = -1;              // the cycle it wants next, whether anything comes or not; -1: none
  };
  // One cycle. New packets are acquired from `packets`.
  virtual Outcome step(Cycles now, PacketPool& packets) = 0;

  // Places it knows of, for the check of conservation.
  virtual int credits(int port, int vc) const = 0;
};

}  // namespace coppice::fabric
