#include "fabric/fluid/fluid_fabric.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/time_limit.h"
#include "fabric/route_timing.h"
#include "fabric/sim_time.h"

namespace coppice::fabric {
namespace {

double bytes_per_second(Bytes flit, Femtoseconds flit_time) {
  return static_cast<double>(flit) * kFemto / static_cast<double>(flit_time);
}

// The capacity of a channel, which is limited by its bandwidth and by credits: in each credit loop, a virtual
// channel passes as many flits as one buffer holds.
double channel_capacity(const config::SystemConfig& system, const topology::Channel& channel, int vcs) {
  const double places = static_cast<double>(vcs) * static_cast<double>(system.router.vc_depth);
  const auto loop = static_cast<double>(channel_credit_loop(system, channel) * system.clock.period());
  const double credits = places * static_cast<double>(system.flit) * kFemto / loop;
  return std::min(credits, bytes_per_second(system.flit, channel_flit_time(system, channel.bandwidth)));
}

// The number of cycles for which a virtual channel without competing traffic waits for credits after it has
// sent as many flits as a buffer holds.
Cycles credit_stall(const config::SystemConfig& system, const topology::Channel& channel) {
  const Cycles block = capped_time(system.router.vc_depth, channel_flit_time(system, channel.bandwidth)) /
                       system.clock.period();
  return std::max<Cycles>(0, channel_credit_loop(system, channel) - block);
}

std::vector<double> buffer_capacities(const topology::Topology& topology, const config::SystemConfig& system,
                                      std::size_t ports) {
  const double places = static_cast<double>(system.router.vcs) * static_cast<double>(system.router.vc_depth);
  return std::vector<double>(topology.channels().size() + ports, places * static_cast<double>(system.flit));
}

std::vector<double> link_capacities(const topology::Topology& topology, const config::SystemConfig& system,
                                    int ni_ports) {
  std::vector<double> capacities;
  for (const topology::Channel& channel : topology.channels()) {
    capacities.push_back(channel_capacity(system, channel, system.router.vcs));
  }
  const auto ports = static_cast<std::size_t>(topology.num_interfaces()) * static_cast<std::size_t>(ni_ports);
  capacities.insert(capacities.end(), ports, bytes_per_second(system.flit, system.clock.period()));
  for (topology::NodeId node = 0; node < topology.num_interfaces(); ++node) {
    const Femtoseconds ejection = ejection_flit_time(system, !topology.is_accelerator(node));
    capacities.insert(capacities.end(), static_cast<std::size_t>(ni_ports),
                      bytes_per_second(system.flit, ejection));
  }
  return capacities;
}

}  // namespace

FluidFabric::FluidFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
                         const config::SystemConfig& system, const Framing& framing, int ni_ports,
                         Failure& failure)
    : sc_module(name),
      topology_(&topology),
      system_(&system),
      framing_(framing),
      ni_ports_(ni_ports),
      period_(system.clock.period()),
      capacities_(link_capacities(topology, system, ni_ports)),
      rates_(capacities_),
      space_(buffer_capacities(topology, system,
                               static_cast<std::size_t>(topology.num_interfaces() * ni_ports))),
      ports_(static_cast<std::size_t>(topology.num_interfaces()) * static_cast<std::size_t>(ni_ports)),
      wake_event_("wake"),
      used_vcs_(topology.channels().size(), 0),
      carried_(topology.channels().size() + 2 * ports_.size(), 0.0),
      busy_(topology.channels().size()),
      failure_(&failure) {
  statistics_.channel_flits.assign(topology.channels().size(), 0);
  SC_HAS_PROCESS(FluidFabric);
  SC_METHOD(tick);
  sensitive << wake_event_;
  dont_initialize();
}

void FluidFabric::connect(NodeId node, int port, Injector& injector, Ejector& ejector) {
  Port& end = ports_[static_cast<std::size_t>(port_index(node, port))];
  end.injector = &injector;
  end.ejector = &ejector;
}

void FluidFabric::wake(NodeId node, int port, Cycles at) {
  schedule({checked_time(at, period_), EventKind::kWake, port_index(node, port), 0, 0});
}

void FluidFabric::schedule(const Event& event) {
  events_.push(event);
  if (next_tick_ >= 0 && next_tick_ <= event.at) return;
  next_tick_ = event.at;
  wake_event_.notify(to_sc_time(event.at) - sc_core::sc_time_stamp());
}

// Processes all events of an instant before the rates are recomputed.
void FluidFabric::tick() {
  failure_->guard([this] {
    now_ = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
    while (!events_.empty() && events_.top().at <= now_) {
      const Event event = events_.top();
      events_.pop();
      process(event);
    }
    if (unsettled_) update_rates();
    next_tick_ = -1;
    if (events_.empty()) return;
    next_tick_ = events_.top().at;
    wake_event_.notify(to_sc_time(next_tick_ - now_));
  });
}

void FluidFabric::process(const Event& event) {
  if (event.kind == EventKind::kSettle) return;
  if (event.kind == EventKind::kFlow) {
    if (flows_[static_cast<std::size_t>(event.index)].version == event.version) advance(event.index);
    return;
  }
  Port& port = ports_[static_cast<std::size_t>(event.index)];
  switch (event.kind) {
    case EventKind::kEjected:
      --in_flight_;
      last_movement_ = now_ / period_;
      statistics_.flits_ejected += port.ejector->message_ejected(event.message, last_movement_);
      break;
    case EventKind::kInjected:
      port.sending = false;
      last_movement_ = now_ / period_;
      port.injector->message_injected(event.message, last_movement_);
      schedule({now_ + period_, EventKind::kWake, event.index, 0, 0});
      break;
    case EventKind::kWake:
      if (!port.sending) try_start(event.index);
      break;
    case EventKind::kFlow:
    case EventKind::kSettle:
      break;
  }
}

void FluidFabric::try_start(std::int32_t index) {
  const Injector::Pending pending = ports_[static_cast<std::size_t>(index)].injector->next_message();
  if (pending.message == nullptr) return;
  const Femtoseconds ready = checked_time(pending.ready, period_);
  if (ready > now_) {
    schedule({ready, EventKind::kWake, index, 0, 0});
  } else {
    start(index, *pending.message);
  }
}

std::vector<std::int32_t> FluidFabric::links_of(std::int32_t index, const topology::Route& route) const {
  const auto channels = static_cast<std::int32_t>(topology_->channels().size());
  const auto ports = static_cast<std::int32_t>(ports_.size());
  std::vector<std::int32_t> links{channels + index};
  NodeId at = index / ni_ports_;
  for (const topology::Hop& hop : route) {
    const auto out = topology_->out_channels(at);
    if (hop.out_port >= out.size()) {
      const auto eject = static_cast<std::int32_t>(hop.out_port - out.size());
      links.push_back(channels + ports + at * ni_ports_ + eject);
      break;
    }
    links.push_back(out[hop.out_port]);
    at = topology_->channel(out[hop.out_port]).dst;
  }
  return links;
}

void FluidFabric::start(std::int32_t index, const Message& message) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  const FlowIndex flow_index = new_flow();
  Flow& flow = flows_[static_cast<std::size_t>(flow_index)];
  flow.message = message.id;
  flow.dst = message.dst;
  flow.port = index;
  flow.flits = framing_.flits(message.bytes);
  flow.packet_flits = framing_.packet_flits(message.bytes, 0);
  flow.bytes = static_cast<double>(flow.flits) * static_cast<double>(framing_.flit);
  flow.since = now_;
  set_route(flow, port.rerouted == message.dst ? *port.route : *message.route);
  flow.up = add_rate(flow_index, flow.links);
  touch(flow_index);
  bytes_sent_ += flow.bytes;
  statistics_.flits_injected += flow.flits;
  statistics_.flit_hops += flow.flits * static_cast<std::int64_t>(flow.route->size());
  occupy(flow.links, now_);
  port.flow = flow_index;
  port.flows.push_back(flow_index);
  port.sending = true;
  ++in_flight_;
  last_movement_ = now_ / period_;
  unsettled_ = true;
  port.injector->message_started(message.id, last_movement_);
}

void FluidFabric::set_route(Flow& flow, const topology::Route& route) {
  flow.route = &route;
  flow.links = links_of(flow.port, route);
  flow.ejection = flow.links.back() - static_cast<std::int32_t>(topology_->channels().size() + ports_.size());
  use_vcs(flow);
  const RouteTiming timing = time_route(*topology_, *system_, flow.port / ni_ports_, route);
  flow.latency = timing.latency;
  if (flow.injected < flow.bytes) pace(flow, timing);
}

// Marks the flow's virtual channels as used. Virtual channels that no route uses contribute no credits to the
// capacity of a channel.
void FluidFabric::use_vcs(const Flow& flow) {
  for (std::size_t i = 1; i + 1 < flow.links.size(); ++i) {
    const topology::VcRange vcs = (*flow.route)[i - 1].vcs;
    const std::uint64_t these = ((std::uint64_t{1} << (vcs.end - vcs.begin)) - 1) << vcs.begin;
    const auto channel = static_cast<std::size_t>(flow.links[i]);
    if ((used_vcs_[channel] | these) == used_vcs_[channel]) continue;
    used_vcs_[channel] |= these;
    capacities_[channel] =
        channel_capacity(*system_, topology_->channel(flow.links[i]), std::popcount(used_vcs_[channel]));
    const bool alive = rates_.capacity(flow.links[i]) > 0;
    if (alive && rates_.capacity(flow.links[i]) != capacities_[channel])
      rates_.set_capacity(flow.links[i], capacities_[channel]);
  }
}

// If buffers do not cover the credit loop, limits a message to the rate that it would have alone. To do so,
// reduces the capacity of the message's injection channel, which no other message shares, while the message
// is sent.
void FluidFabric::pace(Flow& flow, const RouteTiming& timing) {
  const std::int64_t packets = (flow.flits + flow.packet_flits - 1) / flow.packet_flits;
  const std::int64_t blocks = (flow.flits - 1) / (std::int64_t{system_->router.vc_depth} * timing.vcs);
  const PacketStall packet = packet_stall(flow);
  const Cycles of_packets = packets * packet.port;
  const Cycles of_message = packets > 1 ? blocks * timing.message_stall : 0;
  const Cycles stall = std::max(of_packets, of_message);
  // The additional time for which the last packet waits after it has left the port.
  flow.latency += std::max(of_packets + packet.packet - packet.port, of_message) - stall;
  double rate = bytes_per_second(framing_.flit, period_);
  if (stall > 0) {
    const double alone = static_cast<double>(flow.flits) * static_cast<double>(timing.slowest_flit) +
                         static_cast<double>(stall) * static_cast<double>(period_);
    rate = flow.bytes * kFemto / alone;
  }
  if (rates_.capacity(flow.links.front()) != rate) rates_.set_capacity(flow.links.front(), rate);
}

// The number of cycles for which a packet waits for credits. It uses one virtual channel, which passes as
// many flits per credit loop as one buffer holds. Flits in the buffers upstream of the slow channel have
// already left the port, so the port may send the next packet on another virtual channel.
FluidFabric::PacketStall FluidFabric::packet_stall(const Flow& flow) const {
  const std::int64_t depth = system_->router.vc_depth;
  PacketStall most;
  for (std::size_t i = 1; i + 1 < flow.links.size(); ++i) {
    const Cycles stall = credit_stall(*system_, topology_->channel(flow.links[i]));
    const std::int64_t behind =
        std::max<std::int64_t>(flow.packet_flits - 1 - depth * static_cast<std::int64_t>(i), 0);
    most.port = std::max(most.port, behind / depth * stall);
    most.packet = std::max(most.packet, (flow.packet_flits - 1) / depth * stall);
  }
  return most;
}

void FluidFabric::settle() {
  unsettled_ = true;
  schedule({static_cast<Femtoseconds>(sc_core::sc_time_stamp().value()), EventKind::kSettle, 0, 0, 0});
}

void FluidFabric::reroute(NodeId node, int port_number, NodeId dst, const topology::Route& route) {
  Port& port = ports_[static_cast<std::size_t>(port_index(node, port_number))];
  port.rerouted = dst;
  port.route = &route;
  const auto now = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
  for (const FlowIndex index : port.flows) {
    const Flow& flow = flows_[static_cast<std::size_t>(index)];
    if (flow.dst == dst && flow.route != &route) restart(index, route, now);
  }
}

// Moves a message to a new route. Bytes that have arrived stay at the destination. Bytes that wait in buffers
// of the old route are sent again over the new route: by the port if it is still sending the message,
// otherwise from the first router.
void FluidFabric::restart(FlowIndex index, const topology::Route& route, Femtoseconds now) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  progress(flow, now);
  account(flow);
  vacate(std::span(flow.links).subspan(flow.injecting() ? 0 : flow.split), now);
  space_.release(flow.links, flow.held);
  flow.window = 0;
  if (flow.injecting()) {
    if (flow.down != kNone) rates_.remove(std::exchange(flow.down, kNone));
    flow.injected = flow.drained;
    flow.up_counted = flow.injected;
    flow.split = 0;
    set_route(flow, route);
    rates_.reroute(flow.up, flow.links);
  } else {
    flow.split = 1;
    set_route(flow, route);
    rates_.reroute(flow.down, std::span(flow.links).subspan(1));
  }
  occupy(std::span(flow.links).subspan(flow.split), now);
  touch(index);
  settle();
}

void FluidFabric::set_channel(topology::ChannelId channel, bool alive) {
  rates_.set_capacity(channel, alive ? capacities_[static_cast<std::size_t>(channel)] : 0);
  settle();
}

std::optional<double> FluidFabric::rate(NodeId node, int port) const {
  const FlowIndex flow = ports_[static_cast<std::size_t>(port_index(node, port))].flow;
  return flow < 0 ? std::nullopt : std::optional(flows_[static_cast<std::size_t>(flow)].up_rate);
}

void FluidFabric::check_conservation() const {
  const bool flits = statistics_.flits_injected == statistics_.flits_ejected && in_flight_ == 0;
  const bool bytes = std::abs(bytes_sent_ - bytes_carried_) <= 1e-6 * std::max(bytes_sent_, 1.0);
  const double time = static_cast<double>((last_movement_ + 1) * period_) / kFemto;
  for (std::size_t link = 0; link < carried_.size(); ++link) {
    // The capacity of an injection channel changes with each message, so it is not checked.
    const bool injection =
        link >= topology_->channels().size() && link < topology_->channels().size() + ports_.size();
    const double capacity = injection ? bytes_per_second(framing_.flit, period_)
                                      : rates_.capacity(static_cast<std::int32_t>(link));
    const double most = capacity * time;
    if (most > 0 && carried_[link] > most * (1 + 1e-6)) {
      throw ModelError(fmt::format("{}: channel {} carried {} bytes, but can carry at most {} in {} s",
                                   name(), link, carried_[link], most, time));
    }
  }
  if (flits && bytes) return;
  throw ModelError(
      fmt::format("{}: {} flits injected, {} ejected, {} messages in flight; {} bytes sent, {} "
                  "carried",
                  name(), statistics_.flits_injected, statistics_.flits_ejected, in_flight_, bytes_sent_,
                  bytes_carried_));
}

std::string FluidFabric::describe_packets(int limit) const {
  std::string text;
  int lines = 0;
  for (const Port& port : ports_) {
    for (const FlowIndex index : port.flows) {
      if (lines++ >= limit) return text;
      const Flow& flow = flows_[static_cast<std::size_t>(index)];
      text += fmt::format("  message {} from {}: {:.0f} of {:.0f} bytes left at {:.3f} GB/s\n", flow.message,
                          flow.port / ni_ports_, flow.bytes - flow.drained, flow.bytes,
                          (flow.whole() ? flow.up_rate : flow.down_rate) * 1e-9);
    }
  }
  return text;
}

}  // namespace coppice::fabric
