#include "fabric/mixed/mixed_fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "fabric/route_timing.h"

namespace coppice::fabric {

MixedFabric::MixedFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
                         const topology::RoutingFunction& routing, const config::SystemConfig& system,
                         const Framing& framing, int ni_ports, Failure& failure, Meetings& meetings)
    : sc_module(name),
      ni_ports_(ni_ports),
      meetings_(&meetings),
      trains_("trains", topology, system, framing, ni_ports, failure),
      flits_(topology, routing, system, ni_ports, failure),
      follower_(*this),
      sends_flits_(static_cast<std::size_t>(topology.num_interfaces()) * static_cast<std::size_t>(ni_ports),
                   false) {
  trains_.record_meetings(meetings);
  trains_.count_within(*this);
  flits_.add_observer(follower_);
  for (const std::int32_t port : meetings.given()) sends_flits_[static_cast<std::size_t>(port)] = true;
}

void MixedFabric::connect(NodeId node, int port, Injector& injector, Ejector& ejector) {
  trains_.connect(node, port, injector, ejector);
  ejectors_.push_back(std::make_unique<WholeMessages>(ejector));
  // The flit network calls the injector of a port only after it has been woken for that port.
  flits_.connect(node, port, injector, *ejectors_.back());
}

void MixedFabric::wake(NodeId node, int port, Cycles at) {
  if (sends_flits_[index(node, port)]) {
    flits_.wake(node, port, at);
  } else {
    trains_.wake(node, port, at);
  }
}

const FabricStatistics& MixedFabric::statistics() const {
  const FabricStatistics& trains = trains_.statistics();
  statistics_ = flits_.statistics();
  statistics_.flits_injected += trains.flits_injected;
  statistics_.flits_ejected += trains.flits_ejected;
  statistics_.flit_hops += trains.flit_hops;
  for (std::size_t channel = 0; channel < trains.channel_flits.size(); ++channel)
    statistics_.channel_flits[channel] += trains.channel_flits[channel];
  return statistics_;
}

void MixedFabric::check_conservation() const {
  trains_.check_conservation();
  flits_.check_conservation();
}

std::string MixedFabric::describe_packets(int limit) const {
  return trains_.describe_packets(limit) + flits_.describe_packets(limit);
}

void MixedFabric::add_observer(FabricObserver& observer) {
  trains_.add_observer(observer);
  flits_.add_observer(observer);
}

void MixedFabric::Follower::flit_sent(const FlitEvent& event, const Packet& packet, Cycles now) {
  const bool head = event.flit.is_head();
  if (!head && !event.flit.tail) return;
  if (event.out_port < 0) {
    if (head) injected(event, packet, now);
    return;
  }
  const TrainFabric& trains = fabric_->trains_;
  Followed& followed = messages_.at(packet.tag);
  const auto output = static_cast<std::int32_t>(trains.output_index(event.node, event.out_port));
  std::size_t i = 0;
  while (followed.stages[i].output != output) ++i;
  Stage& stage = followed.stages[i];
  if (head) {
    Cycles& expected = followed.heads[packet.index];
    const bool alone = packet.first_of_message && packet.last_of_message;
    if (now != expected && !alone) stage.held_up = true;
    expected = now + trains.delay(output) + trains.head_delay();
    if (!stage.head_passed && i + 1 < followed.stages.size()) followed.stages[i + 1].begin = expected;
    stage.head_passed = true;
    stage.last_head = now;
  }
  if (event.flit.tail) {
    stage.tail = now;
    ++stage.packets;
    if (packet.last_of_message) followed.packets = std::int64_t{packet.index} + 1;
    passed(followed, i, packet, now);
  }
}

// Handles a head that has entered the injection channel.
void MixedFabric::Follower::injected(const FlitEvent& event, const Packet& packet, Cycles now) {
  if (packet.first_of_message) open(event, packet, now);
  Followed& followed = messages_.at(packet.tag);
  followed.heads.push_back(now + kInjectionDelay + fabric_->trains_.head_delay());
  const auto hops = static_cast<std::int64_t>(followed.stages.size());
  fabric_->meetings_->sends(static_cast<std::int32_t>(fabric_->index(event.node, event.ni_port)),
                            packet.flits * hops, now);
}

void MixedFabric::Follower::open(const FlitEvent& event, const Packet& packet, Cycles now) {
  TrainFabric& trains = fabric_->trains_;
  Followed& followed = messages_[packet.tag];
  followed = {};
  const Cycles begin = now + kInjectionDelay + trains.head_delay();
  std::vector<std::int32_t> outputs;
  NodeId node = packet.src;
  for (const topology::Hop* hop = packet.route; node != topology::kNoNode; ++hop) {
    const std::size_t output = trains.output_index(node, hop->out_port);
    outputs.push_back(static_cast<std::int32_t>(output));
    followed.stages.push_back({outputs.back(), begin});
    node = trains.node_behind(output);
  }
  ++fabric_->meetings_->messages;
  ++fabric_->meetings_->as_flits;
  trains.flits_come(outputs, static_cast<std::int32_t>(fabric_->index(event.node, event.ni_port)),
                    packet.route, begin, now);
}

// Closes stage `i` of the route once the message's last tail has left it.
void MixedFabric::Follower::passed(Followed& followed, std::size_t i, const Packet& packet, Cycles now) {
  const Stage& stage = followed.stages[i];
  if (stage.packets != followed.packets) return;
  TrainFabric& trains = fabric_->trains_;
  if (i > 0) close(followed, i - 1, now - trains.delay(followed.stages[i - 1].output), packet, now);
  if (i + 1 < followed.stages.size()) return;
  close(followed, i, now, packet, now);
  messages_.erase(packet.tag);
}

void MixedFabric::Follower::close(const Followed& followed, std::size_t i, Cycles left_next,
                                  const Packet& packet, Cycles now) {
  const Stage& stage = followed.stages[i];
  fabric_->trains_.flits_passed({.output = stage.output,
                                 .begin = stage.begin,
                                 .last_head = stage.last_head,
                                 .tail = stage.tail,
                                 .left_next = left_next,
                                 .held_up = stage.held_up,
                                 .vcs = packet.route[i].vcs,
                                 .src = packet.src,
                                 .dst = packet.dst},
                                now);
}

}  // namespace coppice::fabric
