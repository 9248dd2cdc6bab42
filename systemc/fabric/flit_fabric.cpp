#include "fabric/flit_fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/route_timing.h"
#include "fabric/sim_time.h"

namespace coppice::fabric {
namespace {

// The longest delay of anything on a channel, for the size of the wheels.
Cycles longest_delay(const topology::Topology& topology, const config::SystemConfig& system) {
  Cycles latency = kNiChannelLatency;
  for (const auto& channel : topology.channels()) {
    latency = std::max(latency, latency_cycles(channel.latency, system.clock.period()));
  }
  return latency + system.router.sw_alloc_delay + system.router.st_delay + system.router.credit_delay + 2;
}

}  // namespace

FlitFabric::FlitFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
                       const topology::RoutingFunction& routing, const config::SystemConfig& system,
                       int ni_ports, Failure& failure)
    : sc_module(name),
      topology_(&topology),
      routing_(&routing),
      ni_ports_(ni_ports),
      vcs_(system.router.vcs),
      vc_depth_(system.router.vc_depth),
      period_(system.clock.period()),
      hop_limit_(std::min(4 * topology.num_nodes() + 4, 0xffff)),
      arrivals_(longest_delay(topology, system)),
      credits_(longest_delay(topology, system)),
      awake_routers_(topology.num_nodes()),
      awake_injection_(topology.num_interfaces() * ni_ports),
      awake_terminals_(topology.num_interfaces()),
      wake_event_("wake"),
      failure_(&failure) {
  build(system);
  SC_HAS_PROCESS(FlitFabric);
  SC_METHOD(tick);
  sensitive << wake_event_;
  dont_initialize();
}

void FlitFabric::build(const config::SystemConfig& system) {
  const config::RouterConfig& router = system.router;
  const Cycles grant_delay = router.sw_alloc_delay - 1;
  const Cycles flit_delay = grant_delay + router.st_delay + 1;
  const Cycles credit_delay = grant_delay + 1 + router.credit_delay;
  ejection_credit_delay_ = 1 + kNiChannelLatency + router.credit_delay;
  const Femtoseconds slow_ejection = ejection_flit_time(system) > period_ ? ejection_flit_time(system) : 0;

  const auto interfaces = static_cast<std::size_t>(topology_->num_interfaces());
  injection_.assign(interfaces * static_cast<std::size_t>(ni_ports_),
                    InjectionPort(vcs_, vc_depth_, period_));
  ejectors_.assign(injection_.size(), nullptr);
  flit_takers_.assign(injection_.size(), nullptr);
  terminals_.assign(interfaces, nullptr);
  statistics_.channel_flits.assign(topology_->channels().size(), 0);
  routers_.reserve(static_cast<std::size_t>(topology_->num_nodes()));
  RouterEnvironment& environment = *this;

  for (NodeId node = 0; node < topology_->num_nodes(); ++node) {
    std::vector<Endpoint> down;
    std::vector<Endpoint> up;
    std::vector<OutputRate> rates;
    for (const topology::ChannelId id : topology_->out_channels(node)) {
      const topology::Channel& channel = topology_->channel(id);
      const Femtoseconds flit_time = channel_flit_time(system, channel.bandwidth);
      if (flit_time < period_) {
        throw ModelError(fmt::format("fabric: channel {}->{} moves more than one flit per cycle", channel.src,
                                     channel.dst));
      }
      const Cycles latency = latency_cycles(channel.latency, period_);
      down.push_back(
          {channel.dst, static_cast<std::int16_t>(channel.dst_port), false, flit_delay + latency, id});
      rates.push_back({flit_time == period_ ? 0 : flit_time});
    }
    for (const topology::ChannelId id : topology_->in_channels(node)) {
      const topology::Channel& channel = topology_->channel(id);
      up.push_back({channel.src, static_cast<std::int16_t>(channel.src_port), false,
                    credit_delay + latency_cycles(channel.latency, period_), id});
    }
    const int ni_ports = topology_->has_interface(node) ? ni_ports_ : 0;
    const auto ports = static_cast<int>(std::max(up.size(), down.size())) + ni_ports;
    for (int port = 0; port < ni_ports; ++port) {
      down.push_back({node, static_cast<std::int16_t>(port), true, flit_delay + kNiChannelLatency, -1});
      up.push_back({node, static_cast<std::int16_t>(port), true, grant_delay + 1 + kNiChannelLatency, -1});
      rates.push_back({slow_ejection});
    }
    rates.resize(static_cast<std::size_t>(ports));
    down.resize(static_cast<std::size_t>(ports));
    up.resize(static_cast<std::size_t>(ports));
    first_endpoint_.push_back(downstream_.size());
    downstream_.insert(downstream_.end(), down.begin(), down.end());
    upstream_.insert(upstream_.end(), up.begin(), up.end());
    routers_.emplace_back(node, ports, router, rates, period_, environment);
  }
}

void FlitFabric::connect(NodeId node, int port, Injector& injector, Ejector& ejector) {
  injection_[ni_index(node, port)].connect(injector);
  ejectors_[ni_index(node, port)] = &ejector;
  if (ejector.takes_flits()) flit_takers_[ni_index(node, port)] = &ejector;
}

void FlitFabric::connect_terminal(NodeId node, FlitTerminal& terminal) {
  terminals_[static_cast<std::size_t>(node)] = &terminal;
  terminal_wakeups_.push({0, node});
  if (next_tick_ == 0) return;
  next_tick_ = 0;
  wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void FlitFabric::replace_routers(const MakeRouter& make) {
  stand_ins_.clear();
  for (NodeId node = 0; node < topology_->num_nodes(); ++node) {
    stand_ins_.push_back(make(node, routers_[static_cast<std::size_t>(node)].ports(), *this));
  }
}

void FlitFabric::wake(NodeId node, int port, Cycles at) {
  wakeups_.push({at, static_cast<std::int32_t>(ni_index(node, port))});
  if (next_tick_ >= 0 && next_tick_ <= at) return;
  next_tick_ = at;
  wake_event_.notify(to_sc_time(at * period_) - sc_core::sc_time_stamp());
}

void FlitFabric::tick() {
  failure_->guard([this] {
    now_ = next_tick_;
    deliver(now_);
    inject(now_);
    step_terminals(now_);
    step_routers(now_);
    schedule_next(now_);
  });
}

void FlitFabric::deliver(Cycles now) {
  for (const Arrival& arrival : arrivals_.at(now)) {
    if (arrival.ejects) {
      eject(arrival, now);
    } else {
      const auto node = static_cast<std::size_t>(arrival.node);
      if (stand_ins_.empty()) {
        routers_[node].receive_flit(arrival.port, arrival.vc, arrival.flit, now);
      } else {
        stand_ins_[node]->receive_flit(arrival.port, arrival.vc, arrival.flit, now);
      }
      awake_routers_.insert(arrival.node);
    }
  }
  arrivals_.release(now);
  for (const Credit& credit : credits_.at(now)) {
    if (credit.to_injector) {
      if (FlitTerminal* terminal = terminals_[static_cast<std::size_t>(credit.node)]; terminal != nullptr) {
        terminal->receive_credit(credit.port, credit.vc);
        awake_terminals_.insert(credit.node);
        continue;
      }
      const std::size_t port = ni_index(credit.node, credit.port);
      if (injection_[port].receive_credit(credit.vc)) awake_injection_.insert(static_cast<int>(port));
    } else {
      if (stand_ins_.empty()) {
        routers_[static_cast<std::size_t>(credit.node)].receive_credit(credit.port, credit.vc);
      } else {
        stand_ins_[static_cast<std::size_t>(credit.node)]->receive_credit(credit.port, credit.vc);
      }
      awake_routers_.insert(credit.node);
    }
  }
  credits_.release(now);
}

void FlitFabric::eject(const Arrival& arrival, Cycles now) {
  ++statistics_.flits_ejected;
  last_movement_ = now;
  const auto out_port = static_cast<std::int16_t>(topology_->out_channels(arrival.node).size() +
                                                  static_cast<std::size_t>(arrival.port));
  credits_.schedule(now + ejection_credit_delay_, {arrival.node, out_port, arrival.vc, false});
  Packet& packet = packets_[arrival.flit.packet];
  packet.flit_cycles += now;
  FlitTerminal* const terminal = terminals_[static_cast<std::size_t>(arrival.node)];
  if (terminal != nullptr) {
    terminal->receive_flit(arrival.port, arrival.vc, arrival.flit, packet, now);
    awake_terminals_.insert(arrival.node);
  } else if (Ejector* const taker = flit_takers_[ni_index(arrival.node, arrival.port)]; taker != nullptr) {
    taker->flit_ejected(packet, arrival.flit, now);
  }
  if (!arrival.flit.tail) return;
  if (terminal == nullptr) ejectors_[ni_index(arrival.node, arrival.port)]->packet_ejected(packet, now);
  packets_.release(arrival.flit.packet);
}

void FlitFabric::inject(Cycles now) {
  while (!wakeups_.empty() && wakeups_.top().at <= now) {
    awake_injection_.insert(wakeups_.top().port);
    wakeups_.pop();
  }
  awake_injection_.for_each([&](int index) {
    const InjectionPort::Outcome outcome = injection_[static_cast<std::size_t>(index)].step(now, packets_);
    if (outcome.next != now + 1) {
      awake_injection_.erase(index);
      if (outcome.next != InjectionPort::kAsleep) wakeups_.push({outcome.next, index});
    }
    if (outcome.sent) inject_flit(index / ni_ports_, index % ni_ports_, outcome.vc, outcome.flit, now);
  });
}

void FlitFabric::inject_flit(NodeId node, int ni_port, int vc, Flit flit, Cycles now) {
  ++statistics_.flits_injected;
  last_movement_ = now;
  for (FabricObserver* observer : observers_) {
    observer->flit_sent({node, -1, ni_port, vc, flit}, packets_[flit.packet], now);
  }
  const auto in_port =
      static_cast<std::int16_t>(topology_->in_channels(node).size() + static_cast<std::size_t>(ni_port));
  arrivals_.schedule(now + kInjectionDelay, {flit, node, in_port, static_cast<std::int8_t>(vc), false});
}

void FlitFabric::step_terminals(Cycles now) {
  while (!terminal_wakeups_.empty() && terminal_wakeups_.top().at <= now) {
    awake_terminals_.insert(terminal_wakeups_.top().port);
    terminal_wakeups_.pop();
  }
  awake_terminals_.for_each([&](int node) {
    const FlitTerminal::Outcome outcome = terminals_[static_cast<std::size_t>(node)]->step(now, packets_);
    if (outcome.wake_at != now + 1) {
      awake_terminals_.erase(node);
      if (outcome.wake_at > now) terminal_wakeups_.push({outcome.wake_at, node});
    }
    for (const auto& sent : outcome.flits) inject_flit(node, sent.port, sent.vc, sent.flit, now);
  });
}

void FlitFabric::step_routers(Cycles now) {
  awake_routers_.for_each([&](int node) {
    const auto index = static_cast<std::size_t>(node);
    const bool busy = stand_ins_.empty() ? routers_[index].step(now) : stand_ins_[index]->step(now);
    if (!busy) awake_routers_.erase(node);
  });
}

Cycles FlitFabric::next_event(Cycles now) const {
  if (!awake_routers_.empty() || !awake_injection_.empty() || !awake_terminals_.empty()) return now + 1;
  Cycles next = -1;
  const auto consider = [&next](Cycles at) { next = next < 0 ? at : std::min(next, at); };
  if (!arrivals_.empty()) consider(arrivals_.next_after(now));
  if (!credits_.empty()) consider(credits_.next_after(now));
  if (!wakeups_.empty()) consider(wakeups_.top().at);
  if (!terminal_wakeups_.empty()) consider(terminal_wakeups_.top().at);
  return next;
}

void FlitFabric::schedule_next(Cycles now) {
  next_tick_ = next_event(now);
  if (next_tick_ >= 0) wake_event_.notify(to_sc_time((next_tick_ - now) * period_));
}

RouteDecision FlitFabric::route(NodeId node, PacketId id) {
  Packet& packet = packets_[id];
  if (packet.hops >= hop_limit_) {
    throw ModelError(fmt::format("fabric: livelock at cycle {}: the packet from {} to {} has taken {} hops",
                                 now_, packet.src, packet.dst, packet.hops));
  }
  ++packet.hops;
  if (packet.route != nullptr) return {packet.route[packet.hops - 1], true};
  return {routing_->next_hop(node, packet.dst, packet.route_state, packet.ejection_port), false};
}

void FlitFabric::send_flit(NodeId node, int out_port, int vc, Flit flit) {
  const Endpoint& to =
      downstream_[first_endpoint_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(out_port)];
  ++statistics_.flit_hops;
  last_movement_ = now_;
  if (to.channel >= 0) ++statistics_.channel_flits[static_cast<std::size_t>(to.channel)];
  for (FabricObserver* observer : observers_) {
    observer->flit_sent({node, out_port, to.ni ? to.port : -1, vc, flit}, packets_[flit.packet], now_);
  }
  arrivals_.schedule(now_ + to.delay, {flit, to.node, to.port, static_cast<std::int8_t>(vc), to.ni});
}

void FlitFabric::send_credit(NodeId node, int in_port, int vc) {
  const Endpoint& to =
      upstream_[first_endpoint_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(in_port)];
  credits_.schedule(now_ + to.delay, {to.node, to.port, static_cast<std::int8_t>(vc), to.ni});
}

bool FlitFabric::idle() const {
  return packets_.in_flight() == 0 && arrivals_.empty() && credits_.empty();
}

void FlitFabric::check_conservation() const {
  const auto require = [this](bool holds, const std::string& what) {
    if (!holds) throw ModelError(fmt::format("{}: conservation broken at cycle {}: {}", name(), now_, what));
  };
  require(
      statistics_.flits_injected == statistics_.flits_ejected,
      fmt::format("{} flits injected, {} ejected", statistics_.flits_injected, statistics_.flits_ejected));
  require(packets_.in_flight() == 0, fmt::format("{} packets left", packets_.in_flight()));
  require(arrivals_.empty() && credits_.empty(), "flits or credits are still on channels");
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    const Router& router = routers_[node];
    for (int port = 0; port < router.ports(); ++port) {
      for (int vc = 0; vc < vcs_; ++vc) {
        const RouterStandIn* const other = stand_ins_.empty() ? nullptr : stand_ins_[node].get();
        const int credits = other != nullptr ? other->credits(port, vc) : router.credits(port, vc);
        const int buffered = other != nullptr ? other->buffered(port, vc) : router.buffered(port, vc);
        require(
            credits == vc_depth_ && !router.output_vc_busy(port, vc),
            fmt::format("router {} output {} vc {}: {} of {} credits", node, port, vc, credits, vc_depth_));
        require(buffered == 0, fmt::format("router {} input {} vc {} holds flits", node, port, vc));
      }
    }
  }
  for (std::size_t index = 0; index < injection_.size(); ++index) {
    const std::size_t node = index / static_cast<std::size_t>(ni_ports_);
    const int port = static_cast<int>(index % static_cast<std::size_t>(ni_ports_));
    for (int vc = 0; vc < vcs_; ++vc) {
      const FlitTerminal* const terminal = terminals_[node];
      const int credits = terminal != nullptr ? terminal->credits(port, vc) : injection_[index].credits(vc);
      require(credits == vc_depth_,
              fmt::format("NI {} port {} vc {}: {} of {} credits", node, port, vc, credits, vc_depth_));
    }
  }
}

std::string FlitFabric::describe_packets(int limit) const {
  std::string text;
  int lines = 0;
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    const Router& router = routers_[node];
    for (int port = 0; port < router.ports(); ++port) {
      for (int vc = 0; vc < vcs_ && lines < limit; ++vc) {
        if (router.buffered(port, vc) == 0) continue;
        const Packet& packet = packets_[router.front(port, vc).packet];
        const int out_port = router.held_output_port(port, vc);
        const int out_vc = router.held_output_vc(port, vc);
        text += fmt::format("  router {} input {} vc {}: {} flits, packet {}->{} of {} flits, ", node, port,
                            vc, router.buffered(port, vc), packet.src, packet.dst, packet.flits);
        text += out_port < 0 ? std::string("not routed yet\n")
                : out_vc < 0 ? fmt::format("waits for a virtual channel of output {}\n", out_port)
                             : fmt::format("holds output {} vc {} with {} credits\n", out_port, out_vc,
                                           router.credits(out_port, out_vc));
        ++lines;
      }
    }
  }
  return text;
}

}  // namespace coppice::fabric
