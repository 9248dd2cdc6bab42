#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "base/random.h"
#include "fabric/fabric.h"
#include "system/traffic/injection_process.h"
#include "system/traffic/measurement.h"
#include "system/traffic/packet_trace.h"
#include "system/traffic/patterns.h"

namespace coppice::system {

// What stands at a node of the network under traffic: a source with an unbounded queue, and a sink.
class TrafficNode : public fabric::Injector, public fabric::Ejector {
 public:
  TrafficNode(topology::NodeId node, int tie_bits, Measurement& measurement)
      : node_(node), tie_mask_((std::uint64_t{1} << tie_bits) - 1), measurement_(&measurement) {}

  // The fabric that wakes it.
  void attach(fabric::Fabric& fabric) { fabric_ = &fabric; }
  // Every packet created before `cycle` has been handed to the network.
  virtual bool handed_over_until(Cycles cycle) const = 0;

  void packet_injected(const fabric::Packet& /*packet*/, Cycles /*now*/) override {}
  void packet_ejected(const fabric::Packet& packet, Cycles now) override;

 protected:
  topology::NodeId node() const { return node_; }
  Measurement& measurement() { return *measurement_; }
  void wake(Cycles at) { fabric_->wake(node_, 0, at); }
  // Fills in a packet.
  void fill(fabric::Packet& packet, topology::NodeId dst, int flits, Cycles created, Random& random) const;
  void count_created(Cycles created, int flits);

 private:
  topology::NodeId node_;
  std::uint64_t tie_mask_;
  Measurement* measurement_;
  fabric::Fabric* fabric_ = nullptr;
};

// A source of synthetic traffic. The creation of a packet is drawn when the one before has left, up to
// kHorizon cycles ahead, and the source sleeps until then: the same packets as from drawing every cycle.
// Replies to the requests that have arrived go before requests of its own.
class SyntheticNode final : public TrafficNode {
 public:
  // `pattern` outlives it.
  SyntheticNode(topology::NodeId node, const TrafficOptions& options, const TrafficPattern& pattern,
                int tie_bits, std::uint64_t seed, Measurement& measurement);

  Answer next_packet(Cycles now, fabric::Packet& packet) override;
  void packet_ejected(const fabric::Packet& packet, Cycles now) override;
  bool handed_over_until(Cycles cycle) const override {
    return replies_.empty() && next_.value_or(drawn_until_) >= cycle;
  }

 private:
  static constexpr Cycles kHorizon = 1024;
  // What Packet::tag says of a packet; the rest of the tag is the cycle of its request.
  enum Tag : std::uint64_t { kRead, kWrite, kReply };
  static constexpr int kTagBits = 2;
  struct Reply {
    topology::NodeId to;
    int flits;
    Cycles created;
    std::uint64_t tag;
  };

  void draw() {
    if (process_.creates(random_)) next_ = drawn_until_;
    ++drawn_until_;
  }
  void fill_request(fabric::Packet& packet, Cycles created);

  int packet_flits_;
  std::optional<RequestReply> request_reply_;
  InjectionProcess process_;
  const TrafficPattern* pattern_;
  Random random_;
  std::deque<Reply> replies_;
  std::optional<Cycles> next_;  // creation of the packet that waits or will come next
  Cycles drawn_until_ = 0;      // whether a packet is created is known of the cycles before
};

// What all nodes of a trace know.
struct TraceState {
  std::vector<TracePacket> packets;
  std::vector<int> missing;  // [packet] arrivals that it waits for
  std::vector<std::unique_ptr<class TraceNode>> nodes;
  std::size_t arrived = 0;
};

// The packets of a trace that start at a node. Those that wait for others may go in the cycle after the last
// of them has arrived.
class TraceNode final : public TrafficNode {
 public:
  // `trace` outlives it.
  TraceNode(topology::NodeId node, TraceState& trace, int tie_bits, std::uint64_t seed,
            Measurement& measurement)
      : TrafficNode(node, tie_bits, measurement),
        trace_(&trace),
        random_(seed, static_cast<std::uint64_t>(node)) {}

  // A packet of this node may go from cycle `at` on.
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
  Random random_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace coppice::system
