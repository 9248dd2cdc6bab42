#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <systemc>
#include <vector>

#include "base/random.h"
#include "fabric/fabric.h"
#include "fabric/flits/flit_fabric.h"
#include "fabric/flits/terminal.h"
#include "fabric/network_port.h"
#include "system/traffic/injection_process.h"
#include "system/traffic/measurement.h"
#include "system/traffic/packet_trace.h"
#include "system/traffic/patterns.h"

namespace coppice::system {

// The inputs of a TrafficNode: its position in the network, and the state that all nodes share, which must
// outlive them.
struct TrafficPosition {
  topology::NodeId node;
  int tie_bits;  // number of tie bits that a packet's route uses
  std::uint64_t seed;
  Measurement& measurement;
  fabric::FlitContext& flits;
};

// A node of a network under synthetic traffic: a source with an unlimited queue, and a sink. It takes the
// place of the network interface and has the same ports.
class TrafficNode : public sc_core::sc_module, public fabric::Injector, public fabric::Ejector {
 public:
  // The port through which the node sends; bound to its internal terminal.
  sc_core::sc_port<fabric::NetworkPortIf> network{"network_0"};
  // The terminal's ports, which must be bound to the router's local channels.
  sc_core::sc_vector<fabric::FlitModule::Port<fabric::FlitReceiveIf>> in{"in", 1};
  sc_core::sc_vector<fabric::FlitModule::Port<fabric::FlitSendIf>> out{"out", 1};

  TrafficNode(const sc_core::sc_module_name& name, const TrafficPosition& place);

  fabric::FlitParts::LocalPorts local_ports() { return {&terminal_, &in, &out}; }
  // Whether all packets created before cycle `cycle` have been passed to the network.
  virtual bool handed_over_until(Cycles cycle) const = 0;

  void packet_injected(const fabric::Packet& /*packet*/, Cycles /*now*/) override {}
  void packet_ejected(const fabric::Packet& packet, Cycles now) override;

 protected:
  topology::NodeId node() const { return node_; }
  Random& random() { return random_; }
  Measurement& measurement() { return *measurement_; }
  // Wakes the node in cycle `at`, which must be during the simulation. All nodes wake when it begins.
  void wake(Cycles at) { network->wake(at); }
  void fill(fabric::Packet& packet, topology::NodeId dst, int flits, Cycles created);
  void count_created(Cycles created, int flits);

 private:
  void end_of_elaboration() override;

  topology::NodeId node_;
  std::uint64_t tie_mask_;
  Random random_;
  Measurement* measurement_;
  fabric::PacketTerminal terminal_;
};

// A source of synthetic traffic. When a packet has left, the source determines the random creation time of
// the next one, up to kHorizon cycles ahead, and sleeps until then. The packets are the same as if it decided
// in every cycle whether to create one. Replies to requests that have arrived have priority over the source's
// own requests.
class SyntheticNode final : public TrafficNode {
 public:
  // `pattern` must outlive this module.
  SyntheticNode(const sc_core::sc_module_name& name, const TrafficPosition& place,
                const TrafficOptions& options, const TrafficPattern& pattern);

  Answer next_packet(Cycles now, fabric::Packet& packet) override;
  void packet_ejected(const fabric::Packet& packet, Cycles now) override;
  bool handed_over_until(Cycles cycle) const override {
    return replies_.empty() && next_.value_or(drawn_until_) >= cycle;
  }

 private:
  static constexpr Cycles kHorizon = 1024;
  // The kind of a packet, which is a part of Packet::tag. The rest of the tag is the cycle of the packet's
  // request.
  enum Tag : std::uint64_t { kRead, kWrite, kReply };
  static constexpr int kTagBits = 2;
  struct Reply {
    topology::NodeId to;
    int flits;
    Cycles created;
    std::uint64_t tag;
  };

  void draw() {
    if (process_.creates(random())) next_ = drawn_until_;
    ++drawn_until_;
  }
  void fill_request(fabric::Packet& packet, Cycles created);

  int packet_flits_;
  std::optional<RequestReply> request_reply_;
  InjectionProcess process_;
  const TrafficPattern* pattern_;
  std::deque<Reply> replies_;
  std::optional<Cycles> next_;  // the creation time of the next packet, or of the waiting one
  Cycles drawn_until_ = 0;      // random decisions have been made for all earlier cycles
};

// The state that all nodes of a trace share.
struct TraceState {
  std::vector<TracePacket> packets;
  std::vector<int> missing;  // [packet]: number of packets that must still arrive before it is sent
  std::vector<class TraceNode*> nodes;  // [accelerator]
  std::size_t arrived = 0;
};

// Sends the packets of a trace that start at this node. A packet that waits for others may be sent in the
// cycle after the last of them has arrived.
class TraceNode final : public TrafficNode {
 public:
  // `trace` must outlive this module.
  TraceNode(const sc_core::sc_module_name& name, const TrafficPosition& place, TraceState& trace)
      : TrafficNode(name, place), trace_(&trace) {}

  // Lets a packet of this node be sent from cycle `at` on. Call this before the simulation.
  void expect(std::size_t packet, Cycles at) { ready_.push({at, packet}); }
  // Like expect(), but for calls during the simulation.
  void release(std::size_t packet, Cycles at);

  Answer next_packet(Cycles now, fabric::Packet& packet) override;
  void packet_ejected(const fabric::Packet& packet, Cycles now) override;
  bool handed_over_until(Cycles /*cycle*/) const override { return ready_.empty(); }

 private:
  struct Ready {
    Cycles at;
    std::size_t packet;
    bool operator>(const Ready& other) const {
      return at != other.at ? at > other.at : packet > other.packet;
    }
  };

  TraceState* trace_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace coppice::system
