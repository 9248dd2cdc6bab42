#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/record_store.h"
#include "base/units.h"
#include "fabric/flit.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

using topology::NodeId;

// A packet in flight. If `route` is set, the packet is source-routed. Otherwise, the fabric's routing
// function chooses each hop on the way to `dst`.
struct Packet {
  // One hop for each router; the last hop leads to an ejection port. Not owned.
  const topology::Hop* route = nullptr;
  topology::RouteState route_state;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  std::uint16_t ejection_port = 0;  // used by hop-by-hop routing
  std::uint16_t hops = 0;           // number of routers that have routed the packet so far
  std::uint32_t flits = 0;
  std::uint64_t tag = 0;    // set by the injector, for example to identify the message
  std::uint32_t index = 0;  // index of the packet in its message
  bool first_of_message = true;
  bool last_of_message = true;
  Femtoseconds flit_time = 0;  // minimum time between flits at injection; 0: one flit per cycle
  Cycles created = 0;          // cycle in which the source requested the packet
  Cycles head_injected = 0;
  // Sums over all flits of the packet. The two sums are separate because different threads may inject and
  // eject flits of a long packet at the same time.
  std::int64_t injection_cycles = 0;
  std::int64_t ejection_cycles = 0;

  // The total latency of the packet's flits, in cycles; valid once all flits have been ejected.
  std::int64_t flit_cycles() const { return ejection_cycles - injection_cycles; }
  // Returns a copy of the packet as it was injected, for observers of its flits. The copy omits fields that
  // other threads may be changing.
  Packet as_injected() const {
    Packet copy;
    copy.route = route;
    copy.src = src;
    copy.dst = dst;
    copy.ejection_port = ejection_port;
    copy.flits = flits;
    copy.tag = tag;
    copy.index = index;
    copy.first_of_message = first_of_message;
    copy.last_of_message = last_of_message;
    copy.flit_time = flit_time;
    copy.created = created;
    copy.head_injected = head_injected;
    return copy;
  }
};

// Stores all packets in flight. The ID of a released packet is reused. With several threads, each thread has
// its own pool, but all pools share one store, so a packet may be acquired from one pool and released to
// another.
class PacketPool {
 public:
  PacketPool() : store_(std::make_shared<RecordStore<Packet>>()), shelf_(*store_) {}
  // Creates another pool that shares this pool's store.
  PacketPool another() const { return PacketPool(store_); }

  PacketId acquire(const Packet& packet) {
    ++in_flight_;
    const auto id = static_cast<PacketId>(shelf_.take());
    (*store_)[id] = packet;
    return id;
  }
  void release(PacketId id) {
    --in_flight_;
    shelf_.release(id);
  }
  // Prefetches a packet into the processor's caches.
  void fetch(PacketId id) const {
    const auto* const packet = reinterpret_cast<const char*>(&std::as_const(*store_)[id]);
    __builtin_prefetch(packet);
    __builtin_prefetch(packet + sizeof(Packet) - 1);
  }
  Packet& operator[](PacketId id) { return (*store_)[id]; }
  const Packet& operator[](PacketId id) const { return std::as_const(*store_)[id]; }
  // Packets acquired minus packets released in this pool. The sum over all pools of a store is the number of
  // packets in flight.
  std::int64_t in_flight() const { return in_flight_; }
  static void level(PacketPool& one, PacketPool& other) { Shelf<Packet>::level(one.shelf_, other.shelf_); }

 private:
  explicit PacketPool(std::shared_ptr<RecordStore<Packet>> store)
      : store_(std::move(store)), shelf_(*store_) {}

  std::shared_ptr<RecordStore<Packet>> store_;
  Shelf<Packet> shelf_;
  std::int64_t in_flight_ = 0;
};

}  // namespace coppice::fabric
