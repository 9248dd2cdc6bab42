#include "fabric/fluid/fluid_fabric.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/time_limit.h"
#include "fabric/route_timing.h"
#include "fabric/sim_time.h"

namespace coppice::fabric {
namespace {

constexpr double kFemto = 1e15;

double bytes_per_second(Bytes flit, Femtoseconds flit_time) {
  return static_cast<double>(flit) * kFemto / static_cast<double>(flit_time);
}

std::vector<double> link_capacities(const topology::Topology& topology, const config::SystemConfig& system,
                                    int ni_ports) {
  std::vector<double> capacities;
  for (const topology::Channel& channel : topology.channels()) {
    capacities.push_back(bytes_per_second(system.flit, channel_flit_time(system, channel.bandwidth)));
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
      rates_(link_capacities(topology, system, ni_ports)),
      ports_(static_cast<std::size_t>(topology.num_interfaces()) * static_cast<std::size_t>(ni_ports)),
      wake_event_("wake"),
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

// Everything of one instant before rates are found again, once.
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
  Port& port = ports_[static_cast<std::size_t>(event.port)];
  switch (event.kind) {
    case EventKind::kEjected:
      --under_way_;
      last_movement_ = now_ / period_;
      statistics_.flits_ejected += port.ejector->message_ejected(event.message, last_movement_);
      break;
    case EventKind::kInjected:
      port.sending = false;
      last_movement_ = now_ / period_;
      port.injector->message_injected(event.message, last_movement_);
      schedule({now_ + period_, EventKind::kWake, event.port, 0, 0});
      break;
    case EventKind::kWake:
      if (!port.sending) try_start(event.port);
      break;
    case EventKind::kEnd:
      end(event.port, event.version);
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
  const topology::Route& route = port.rerouted == message.dst ? *port.route : *message.route;
  const std::vector<std::int32_t> links = links_of(index, route);
  Flow flow;
  flow.message = message.id;
  flow.src = message.src;
  flow.dst = message.dst;
  flow.route = &route;
  flow.ejection = links.back() - static_cast<std::int32_t>(topology_->channels().size() + ports_.size());
  flow.flits = framing_.flits(message.bytes);
  flow.packet_flits = framing_.packet_flits(message.bytes, 0);
  flow.bytes = static_cast<double>(flow.flits) * static_cast<double>(framing_.flit);
  flow.remaining = flow.bytes;
  flow.since = now_;
  flow.version = ++port.version;
  const RouteTiming timing = time_route(*topology_, *system_, message.src, route);
  flow.latency = timing.latency;
  pace(index, flow, timing);
  flow.id = rates_.add(links);
  if (static_cast<std::size_t>(flow.id) >= port_of_.size()) {
    port_of_.resize(static_cast<std::size_t>(flow.id) + 1, -1);
  }
  port_of_[static_cast<std::size_t>(flow.id)] = index;
  bytes_sent_ += flow.bytes;
  statistics_.flits_injected += flow.flits;
  statistics_.flit_hops += flow.flits * static_cast<std::int64_t>(route.size());
  occupy(flow, now_);
  port.flow = flow;
  port.sending = true;
  ++under_way_;
  last_movement_ = now_ / period_;
  unsettled_ = true;
  port.injector->message_started(message.id, last_movement_);
}

// If buffers do not cover the credit loop, a message is no faster than it would be alone, packet after
// packet: its injection channel, which it has for itself, is slowed down. Packets that overlap on several
// virtual channels are somewhat faster in flits.
void FluidFabric::pace(std::int32_t index, const Flow& flow, const RouteTiming& timing) {
  const std::int64_t packets = (flow.flits + flow.packet_flits - 1) / flow.packet_flits;
  const std::int64_t blocks_of_a_packet = (flow.packet_flits - 1) / system_->router.vc_depth;
  const std::int64_t blocks = (flow.flits - 1) / (std::int64_t{system_->router.vc_depth} * timing.vcs);
  const Cycles stall = std::max(packets * blocks_of_a_packet * timing.packet_stall,
                                packets > 1 ? blocks * timing.message_stall : 0);
  double rate = bytes_per_second(framing_.flit, period_);
  if (stall > 0) {
    const double alone = static_cast<double>(flow.flits) * static_cast<double>(timing.slowest_flit) +
                         static_cast<double>(stall) * static_cast<double>(period_);
    rate = flow.bytes * kFemto / alone;
  }
  const auto injection = static_cast<std::int32_t>(topology_->channels().size()) + index;
  if (rates_.capacity(injection) != rate) rates_.set_capacity(injection, rate);
}

void FluidFabric::progress(Flow& flow, Femtoseconds now) const {
  flow.remaining -= flow.rate * static_cast<double>(now - flow.since) / kFemto;
  flow.since = now;
}

// `bytes` of the flow went along its route.
void FluidFabric::account(const Flow& flow, double bytes) {
  for (const std::int32_t link : rates_.links(flow.id)) carried_[static_cast<std::size_t>(link)] += bytes;
}

void FluidFabric::occupy(const Flow& flow, Femtoseconds now) {
  for (const std::int32_t link : rates_.links(flow.id)) {
    const auto channel = static_cast<std::size_t>(link);
    if (channel < busy_.size() && busy_[channel].flows++ == 0) {
      busy_[channel].since = now;
      busy_[channel].carried = carried_[channel];
    }
  }
}

void FluidFabric::vacate(const Flow& flow, Femtoseconds now) {
  for (const std::int32_t link : rates_.links(flow.id)) {
    const auto channel = static_cast<std::size_t>(link);
    if (channel >= busy_.size() || --busy_[channel].flows > 0 || observers_.empty()) continue;
    // The last flit is granted the switch a flit time before the channel is free again.
    const Cycles flit = next_cycle(channel_flit_time(*system_, topology_->channel(link).bandwidth)) / period_;
    const Cycles begin = next_cycle(busy_[channel].since) / period_;
    const Cycles end = std::max(begin + 1, next_cycle(now) / period_ - flit + 1);
    const double bytes = carried_[channel] - busy_[channel].carried;
    const auto rate = static_cast<double>(topology_->channel(link).bandwidth.bytes_per_second);
    const auto used = static_cast<Femtoseconds>(bytes / rate * kFemto);
    for (FabricObserver* observer : observers_) observer->channel_busy(link, begin, end, used);
  }
}

void FluidFabric::show_rate(std::int32_t port, double rate) const {
  const auto now = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
  for (FabricObserver* observer : observers_) {
    observer->flow_rate(port / ni_ports_, port % ni_ports_, rate, now);
  }
}

void FluidFabric::end(std::int32_t index, std::uint32_t version) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  if (!port.flow || port.flow->version != version) return;
  Flow& flow = *port.flow;
  if (now_ >= kLongestTime) throw TimeLimitError("the run");
  progress(flow, now_);
  // The end is rounded to a femtosecond.
  const double rounding = flow.rate / kFemto + flow.bytes * 1e-9;
  if (std::abs(flow.remaining) > rounding) {
    throw ModelError(fmt::format("{}: message {} of {} bytes from {} ended with {} bytes left", name(),
                                 flow.message, flow.bytes, flow.src, flow.remaining));
  }
  bytes_carried_ += flow.bytes - flow.remaining;
  account(flow, flow.bytes);
  for (const std::int32_t link : rates_.links(flow.id)) {
    const auto channel = static_cast<std::size_t>(link);
    if (channel < statistics_.channel_flits.size()) {
      statistics_.channel_flits[channel] =
          std::llround(carried_[channel] / static_cast<double>(framing_.flit));
    }
  }
  vacate(flow, now_);
  show_rate(index, 0);
  rates_.remove(flow.id);
  unsettled_ = true;
  const Femtoseconds left = next_cycle(now_);
  schedule({left, EventKind::kInjected, index, flow.message, 0});
  schedule({next_cycle(now_ + flow.latency * period_), EventKind::kEjected, flow.ejection, flow.message, 0});
  port.flow.reset();
}

void FluidFabric::update_rates() {
  unsettled_ = false;
  for (const MaxMinRates::FlowId id : rates_.update()) {
    const std::int32_t index = port_of_[static_cast<std::size_t>(id)];
    Port& port = ports_[static_cast<std::size_t>(index)];
    Flow& flow = *port.flow;
    progress(flow, now_);
    flow.rate = rates_.rate(id);
    show_rate(index, flow.rate);
    flow.version = ++port.version;
    if (flow.rate <= 0) continue;  // stands still
    const double left = std::round(std::max(flow.remaining, 0.0) / flow.rate * kFemto);
    // Another flow's end may make it faster in time: beyond the limit it is only looked at there.
    const auto beyond = static_cast<double>(kLongestTime - now_);
    const Femtoseconds at = left < beyond ? now_ + static_cast<Femtoseconds>(left) : kLongestTime;
    schedule({at, EventKind::kEnd, index, 0, flow.version});
  }
}

void FluidFabric::settle() {
  unsettled_ = true;
  schedule({static_cast<Femtoseconds>(sc_core::sc_time_stamp().value()), EventKind::kEnd, 0, 0, 0});
}

void FluidFabric::reroute(NodeId node, int port_number, NodeId dst, const topology::Route& route) {
  const std::int32_t index = port_index(node, port_number);
  Port& port = ports_[static_cast<std::size_t>(index)];
  port.rerouted = dst;
  port.route = &route;
  if (!port.flow || port.flow->dst != dst || port.flow->route == &route) return;
  Flow& flow = *port.flow;
  const auto now = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
  progress(flow, now);
  // Data that went over the old route stays there; account() assigns the whole message to the last one.
  const double gone = flow.bytes - flow.remaining;
  account(flow, gone);
  vacate(flow, now);
  rates_.reroute(flow.id, links_of(index, route));
  occupy(flow, now);
  account(flow, -gone);
  flow.route = &route;
  const RouteTiming timing = time_route(*topology_, *system_, flow.src, route);
  flow.latency = timing.latency;
  pace(index, flow, timing);
  settle();
}

void FluidFabric::set_channel(topology::ChannelId channel, bool alive) {
  const Femtoseconds flit_time = channel_flit_time(*system_, topology_->channel(channel).bandwidth);
  rates_.set_capacity(channel, alive ? bytes_per_second(system_->flit, flit_time) : 0);
  settle();
}

std::optional<double> FluidFabric::rate(NodeId node, int port) const {
  const auto& flow = ports_[static_cast<std::size_t>(port_index(node, port))].flow;
  return flow ? std::optional(flow->rate) : std::nullopt;
}

void FluidFabric::check_conservation() const {
  const bool flits = statistics_.flits_injected == statistics_.flits_ejected && under_way_ == 0;
  const bool bytes = std::abs(bytes_sent_ - bytes_carried_) <= 1e-6 * std::max(bytes_sent_, 1.0);
  const double time = static_cast<double>((last_movement_ + 1) * period_) / kFemto;
  for (std::size_t link = 0; link < carried_.size(); ++link) {
    // An injection channel is as slow as its last message was.
    const bool injection =
        link >= topology_->channels().size() && link < topology_->channels().size() + ports_.size();
    const double capacity = injection ? bytes_per_second(framing_.flit, period_)
                                      : rates_.capacity(static_cast<std::int32_t>(link));
    const double most = capacity * time;
    if (most > 0 && carried_[link] > most * (1 + 1e-6)) {
      throw ModelError(fmt::format("{}: channel {} carried {} bytes, at most {} fit into {} s", name(), link,
                                   carried_[link], most, time));
    }
  }
  if (flits && bytes) return;
  throw ModelError(
      fmt::format("{}: {} flits injected, {} ejected, {} messages under way; {} bytes sent, {} "
                  "carried",
                  name(), statistics_.flits_injected, statistics_.flits_ejected, under_way_, bytes_sent_,
                  bytes_carried_));
}

std::string FluidFabric::describe_packets(int limit) const {
  std::string text;
  int lines = 0;
  for (const Port& port : ports_) {
    if (!port.flow || lines++ >= limit) continue;
    text +=
        fmt::format("  message {} from {}: {:.0f} of {:.0f} bytes to go at {:.3f} GB/s\n", port.flow->message,
                    port.flow->src, port.flow->remaining, port.flow->bytes, port.flow->rate * 1e-9);
  }
  return text;
}

}  // namespace coppice::fabric
