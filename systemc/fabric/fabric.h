#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "fabric/packet.h"
#include "topology/topology.h"

namespace coppice::fabric {

// A gradient message from one network-interface port to another, in the form common to all fabrics.
struct Message {
  std::uint64_t id = 0;  // unique within a run
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  const topology::Route* route = nullptr;  // not owned; must outlive the message
  Bytes bytes = 0;
  Femtoseconds flit_time = 0;  // flit time of the route's slowest channel; limits the rate of injection
};

// The sending side of a network-interface port. The fabric asks it for the packets or messages to inject.
class Injector {
 public:
  virtual ~Injector() = default;

  enum class Answer { kPacket, kPollAgain, kSleep };
  // Fills in the next packet to inject in cycle `now`. Returns kPollAgain if no packet is available yet and
  // the fabric should ask again in the next cycle, or kSleep if no packet will be available until
  // Fabric::wake() is called.
  virtual Answer next_packet(Cycles now, Packet& packet) = 0;
  // Called when the tail of a packet has entered the injection channel.
  virtual void packet_injected(const Packet& packet, Cycles now) = 0;

  // The next message to inject and the first cycle in which it may start, for fabrics that move whole
  // messages. `message` is null if there is no message until Fabric::wake() is called.
  struct Pending {
    const Message* message = nullptr;
    Cycles ready = 0;
  };
  virtual Pending next_message() { return {}; }
  // Called twice for each message: when its head and when its tail has entered the injection channel.
  virtual void message_started(std::uint64_t /*message*/, Cycles /*now*/) {}
  virtual void message_injected(std::uint64_t /*message*/, Cycles /*now*/) {}
};

// The receiving side of a network-interface port, which accepts ejected packets and messages.
class Ejector {
 public:
  virtual ~Ejector() = default;
  // Called when a packet's head leaves the ejection channel, so that data for its tail can be prefetched.
  virtual void expect(const Packet& /*packet*/) {}
  // Called when the tail of a packet has left the ejection channel.
  virtual void packet_ejected(const Packet& packet, Cycles now) = 0;
  // Whether a fabric that moves flits must pass every ejected flit to flit_ejected().
  virtual bool transports_flits() const { return false; }
  virtual void flit_ejected(const Packet& /*packet*/, Flit /*flit*/, Cycles /*now*/) {}
  // Fabrics that move whole messages call this when the tail of a message has been ejected. Returns the
  // number of flits in the message.
  virtual std::int64_t message_ejected(std::uint64_t /*message*/, Cycles /*now*/) { return 0; }
};

// A flit and the place where an observer sees it: a router's output port or a network-interface port.
struct FlitEvent {
  NodeId node;   // the router that sends the flit, or the node whose NI injects it
  int out_port;  // output port of that router; -1 for injection
  int ni_port;   // the NI port if the flit is injected or ejected, otherwise -1
  int vc;
  Flit flit;
};

// Observes the fabric without changing it.
class FabricObserver {
 public:
  virtual ~FabricObserver() = default;
  // Called when a flit has won the switch of a router, or has left a network interface, in cycle `now`.
  virtual void flit_sent(const FlitEvent& event, const Packet& packet, Cycles now) = 0;
  // Called when flits bound for `channel` have won the switch during cycles [begin, end), which include the
  // first and the last grant. Together, the flits occupy the channel for `used`. This time is shorter than
  // the interval if a slower channel on the path limits the rate of the flits.
  virtual void channel_busy(topology::ChannelId /*channel*/, Cycles /*begin*/, Cycles /*end*/,
                            Femtoseconds /*used*/) {}
  // Called instead of channel_busy() for a channel and its images (RouteImages), all of which are busy in the
  // same cycles. Reports each of them to channel_busy() unless overridden.
  virtual void channels_busy(std::span<const topology::ChannelId> images, Cycles begin, Cycles end,
                             Femtoseconds used) {
    for (const topology::ChannelId channel : images) channel_busy(channel, begin, end, used);
  }
  // Called when the flow that a network-interface port sends changes its rate at time `at`. The rate is 0 if
  // the port sends no flow.
  virtual void flow_rate(NodeId /*node*/, int /*ni_port*/, double /*bytes_per_second*/, Femtoseconds /*at*/) {
  }
};

// Statistics that every fabric keeps.
struct FabricStatistics {
  std::int64_t flits_injected = 0;
  std::int64_t flits_ejected = 0;
  std::int64_t flit_hops = 0;               // number of routers traversed, summed over all flits
  std::vector<std::int64_t> channel_flits;  // per channel

  // Passes all statistics to `read`. Used by fabrics that are a single module; in other fabrics, every module
  // reports its own statistics.
  void read(const StatisticsOwner::Reader& read) const {
    read({"fabric", "flits_injected", "", "Flits of all messages sent."},
         static_cast<double>(flits_injected));
    read({"fabric", "flits_ejected", "", "Flits of all messages delivered."},
         static_cast<double>(flits_ejected));
    read({"fabric", "flit_hops", "", "Router traversals summed over all flits."},
         static_cast<double>(flit_hops));
  }
};

// Moves packets between network-interface ports.
class Fabric {
 public:
  virtual ~Fabric() = default;

  // Connects NI port `port` of accelerator `node` to its injector and its ejector, which the fabric does not
  // own.
  virtual void connect(NodeId node, int port, Injector& injector, Ejector& ejector) = 0;
  // Announces that the injector of NI port `port` of `node` has data to send from cycle `at` on, which must
  // be after the current cycle.
  virtual void wake(NodeId node, int port, Cycles at) = 0;

  // Adds an observer, which must outlive the fabric.
  virtual void add_observer(FabricObserver& observer) = 0;

  virtual const FabricStatistics& statistics() const = 0;
  // Call this before a simulation that stops at cycle `stop` even if messages are still in flight, so that
  // the statistics exclude later movements. Fluid flows are always counted in full.
  virtual void count_until(Cycles /*stop*/) {}
  // The last cycle in which a flit or message moved.
  virtual Cycles last_movement() const = 0;
  virtual Femtoseconds period() const = 0;  // clock period
  // Whether no flits or credits are in flight.
  virtual bool idle() const = 0;
  // Throws ModelError unless every flit has been delivered and every credit returned.
  virtual void check_conservation() const = 0;
  // Lists stuck packets and their locations for deadlock reports, one per line, at most `limit` lines.
  virtual std::string describe_packets(int limit) const = 0;
};

}  // namespace coppice::fabric
