#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

using topology::NodeId;

// A packet from its injection to its ejection. Source-routed if `route` is set, else routed hop by hop to
// `dst` by the fabric's routing function.
struct Packet {
  const topology::Hop* route = nullptr;  // one hop per router, the last an ejection port; not owned
  topology::RouteState route_state;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  std::uint16_t ejection_port = 0;  // for hop-by-hop routing
  std::uint16_t hops = 0;           // routers that have routed it so far
  std::uint32_t flits = 0;
  std::uint64_t tag = 0;    // the injector's: message identity, for example
  std::uint32_t index = 0;  // of the packet in its message
  bool first_of_message = true;
  bool last_of_message = true;
  Femtoseconds flit_time = 0;  // the injection channel's pace; 0: a flit every cycle
  Cycles created = 0;          // when the source asked for it
  Cycles head_injected = 0;
  std::int64_t flit_cycles = 0;  // sum over its flits of ejection minus injection cycle
};

// All packets in flight; identities are reused after release.
class PacketPool {
 public:
  PacketId acquire(const Packet& packet) {
    ++in_flight_;
    if (free_.empty()) {
      packets_.push_back(packet);
      return static_cast<PacketId>(packets_.size() - 1);
    }
    const PacketId id = free_.back();
    free_.pop_back();
    packets_[id] = packet;
    return id;
  }
  void release(PacketId id) {
    --in_flight_;
    free_.push_back(id);
  }
  Packet& operator[](PacketId id) { return packets_[id]; }
  const Packet& operator[](PacketId id) const { return packets_[id]; }
  std::int64_t in_flight() const { return in_flight_; }

 private:
  std::vector<Packet> packets_;
  std::vector<PacketId> free_;
  std::int64_t in_flight_ = 0;
};

}  // namespace coppice::fabric
