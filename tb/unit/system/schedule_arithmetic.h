#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "config/settings/config.h"
#include "fabric/framing.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::system {

// Computes the end of a contention-free schedule from its tables and the rules of the network interface,
// without using the simulator's code. Channels carry one flit per cycle.
class ScheduleArithmetic {
 public:
  ScheduleArithmetic(const topology::Topology& topology, const schedule::Schedule& schedule,
                     const config::SystemConfig& system)
      : topology_(topology),
        schedule_(schedule),
        system_(system),
        framing_{system.ni.flow_control, system.flit, system.ni.payload} {
    collect();
    while (advance()) {
    }
    for (const Port& port : ports_) {
      if (port.next != port.entries->size()) throw std::logic_error("an entry never issues");
    }
  }

  // The cycle in which the last message has been reduced or stored.
  Cycles end() const { return end_; }

  // The time between a flit's injection and its ejection: two cycles of injection, the stages of all routers,
  // the latency of all channels, and one cycle of ejection.
  Cycles zero_load_latency(topology::NodeId src, const topology::Route& route) const {
    const config::RouterConfig& router = system_.router;
    const Cycles period = system_.clock.period();
    Cycles latency = 2 + 1;
    for (const topology::Hop& hop : route) {
      latency += router.routing_delay + router.vc_alloc_delay + router.sw_alloc_delay + router.st_delay;
      const auto out = topology_.out_channels(src);
      if (hop.out_port >= out.size()) break;
      const topology::Channel& channel = topology_.channel(out[hop.out_port]);
      latency += (channel.latency + period - 1) / period;
      src = channel.dst;
    }
    return latency;
  }

 private:
  struct Port {
    topology::NodeId node;
    const schedule::Table* entries;
    std::size_t next = 0;
    Cycles decoder_free = 0;         // when the decoder can read the next entry
    Cycles nominal_end = 0;          // the nominal end of the lockstep's current step
    Cycles release = 0;              // when the next step may start
    std::vector<Cycles> tails_left;  // when the tail of each message left the port
  };
  struct Expected {
    std::int32_t step;
    Cycles completed = -1;
  };

  // Collects the messages that each node will receive in each flow. Their times are not known yet.
  void collect() {
    const auto nodes = schedule_.nodes.size();
    arrivals_.assign(nodes, std::vector<std::vector<Expected>>(static_cast<std::size_t>(schedule_.flows)));
    for (std::size_t node = 0; node < nodes; ++node) {
      for (const auto& table : schedule_.nodes[node].ports) {
        ports_.push_back({static_cast<topology::NodeId>(node), &table, 0, 0, 0, 0, {}});
        for (const auto& entry : table) {
          if (entry.op != schedule::Op::kNop)
            arrivals(entry.destination(), entry.flow).push_back({entry.step});
        }
      }
    }
  }

  // Assigns times to all entries whose dependencies already have times. Returns whether there were any.
  bool advance() {
    bool advanced = false;
    for (Port& port : ports_) {
      while (port.next < port.entries->size() && place(port, (*port.entries)[port.next])) {
        ++port.next;
        advanced = true;
      }
    }
    return advanced;
  }

  bool place(Port& port, const schedule::TableEntry& entry) {
    Cycles at = port.decoder_free;
    if (system_.ni.lockstep) at = std::max(at, port.release);
    if (entry.op == schedule::Op::kNop) {
      hold(port, at, framing_.flits(entry.bytes), false);
      if (system_.ni.lockstep) port.decoder_free = at + 1;
      return true;
    }
    // An entry waits for all arrivals of its flow in earlier steps.
    Cycles data = 0;
    int dependencies = 0;
    for (const Expected& arrival : arrivals(port.node, entry.flow)) {
      if (arrival.step >= entry.step) continue;
      if (arrival.completed < 0) return false;
      data = std::max(data, arrival.completed);
      ++dependencies;
    }
    if (dependencies != entry.dependencies) throw std::logic_error("dependencies are not the earlier steps");
    at = std::max(at, data);
    // A port's queue holds two messages, so an entry waits until the tail of the second-to-last message has
    // left.
    const std::size_t sent = port.tails_left.size();
    if (sent >= 2) at = std::max(at, port.tails_left[sent - 2] + 1);

    const std::int64_t flits = framing_.flits(entry.bytes);
    const Cycles link_free = sent > 0 ? port.tails_left.back() + 1 : 0;
    const Cycles head = std::max(at + system_.ni.dma_latency, link_free);
    port.tails_left.push_back(head + flits - 1);
    const auto& route = schedule_.routes[static_cast<std::size_t>(entry.route)];
    const Cycles ejected = head + zero_load_latency(port.node, route) + flits - 1;
    const Cycles completed =
        ejected + (entry.op == schedule::Op::kReduce ? Cycles{system_.ni.reduction_latency} : Cycles{1});
    for (Expected& arrival : arrivals(entry.destination(), entry.flow)) {
      if (arrival.step != entry.step || arrival.completed >= 0) continue;
      arrival.completed = completed;
      break;
    }
    end_ = std::max(end_, completed);
    port.decoder_free = at + 1;
    hold(port, at, flits, true);
    return true;
  }

  // In lockstep, the next step waits for the nominal end of this step, minus the flits that the buffer
  // absorbs.
  void hold(Port& port, Cycles at, std::int64_t flits, bool absorb) const {
    port.nominal_end = std::max(at, port.nominal_end) + flits;
    port.release = port.nominal_end - (absorb && flits > system_.ni.buffer ? system_.ni.buffer : 0);
  }

  std::vector<Expected>& arrivals(topology::NodeId node, std::int32_t flow) {
    return arrivals_[static_cast<std::size_t>(node)][static_cast<std::size_t>(flow)];
  }

  const topology::Topology& topology_;
  const schedule::Schedule& schedule_;
  config::SystemConfig system_;
  fabric::Framing framing_;
  std::vector<Port> ports_;
  std::vector<std::vector<std::vector<Expected>>> arrivals_;  // indexed by node and flow
  Cycles end_ = 0;
};

}  // namespace coppice::system
