#include "fabric/flits/router_module.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/flits/router_switch.h"

namespace coppice::fabric {
namespace {

int ports_of(const RouterSpec& spec) {
  return std::max(spec.inputs, spec.outputs) + spec.local_ports;
}

std::vector<OutputRate> padded(std::vector<OutputRate> rates, int ports) {
  rates.resize(static_cast<std::size_t>(ports));
  return rates;
}

[[noreturn, gnu::noinline]] void goes_round(const Packet& packet, Cycles now) {
  throw ModelError(fmt::format("fabric: livelock at cycle {}: the packet from {} to {} has taken {} hops",
                               now, packet.src, packet.dst, packet.hops));
}

// Counts the current router as a hop of the packet and returns the packet.
Packet& arrived(FlitContext& context, PacketId id, Cycles now) {
  Packet& packet = context.packets[id];
  if (packet.hops >= context.hop_limit) [[unlikely]] {
    goes_round(packet, now);
  }
  ++packet.hops;
  return packet;
}

[[gnu::always_inline]] inline RouteDecision next_hop_of(FlitContext& context, NodeId node, Packet& packet) {
  RouteDecision decision;
  decision.created = packet.created;
  if (packet.route != nullptr) {
    decision.hop = packet.route[packet.hops - 1];
    decision.rotate_vcs = true;
  } else {
    decision.hop = context.routing->next_hop(node, packet.dst, packet.route_state, packet.ejection_port);
  }
  return decision;
}

}  // namespace

std::int64_t RouterModule::flits() const {
  std::int64_t flits = 0;
  for (const Wire* wire : wires_out()) flits += wire->flits_sent();
  return flits;
}

RouteDecision next_hop(FlitContext& context, NodeId node, PacketId id, Cycles now) {
  return next_hop_of(context, node, arrived(context, id, now));
}

SystemCRouter::SystemCRouter(const sc_core::sc_module_name& name, const RouterSpec& spec,
                             FlitContext& context)
    : RouterModule(name, spec),
      context_(&context),
      flit_delay_(RouterModule::flit_delay(context.system->router)),
      slot_delay_(RouterModule::slot_delay(context.system->router)),
      router_(spec.node, ports_of(spec), context.system->router, padded(spec.rates, ports_of(spec)),
              context.system->clock.period(), *this) {}

[[gnu::always_inline]] inline RouteDecision SystemCRouter::route(NodeId node, PacketId id) {
  Packet& packet = arrived(*context_, id, now_);
  if (context_->detours == nullptr || packet.route != nullptr) [[likely]] {
    return next_hop_of(*context_, node, packet);
  }
  return detour(node, packet);
}

RouteDecision SystemCRouter::detour(NodeId node, Packet& packet) {
  topology::NextHops ways =
      context_->detours->ways(node, packet.dst, packet.route_state, packet.ejection_port, router_);
  adaptive_ = std::move(ways.adaptive);
  return {ways.hop, false, adaptive_, packet.flits, packet.created};
}

[[gnu::always_inline]] inline void SystemCRouter::send_flit(NodeId /*node*/, int out_port, int vc,
                                                            Flit flit) {
  report(*context_, out_port, vc, flit, now_);
  wire_out(out_port).send(flit, vc, now_ + flit_delay_);
}

[[gnu::always_inline]] inline void SystemCRouter::send_credit(NodeId /*node*/, int in_port, int vc) {
  wire_in(in_port).return_credit(vc, now_ + slot_delay_);
}

void SystemCRouter::arrive(std::uint64_t lines, Cycles now) {
  receive_arrivals(*this, lines, now);
}

void SystemCRouter::step(Cycles now) {
  now_ = now;
  set_next(router_.step(now, *this) ? now + 1 : kNever);
}

void SystemCRouter::hop_chosen(NodeId /*node*/, PacketId packet) {
  context_->detours->advance_state(context_->packets[packet].route_state);
}

std::vector<std::string> SystemCRouter::describe_packets(const PacketPool& packets) const {
  std::vector<std::string> lines;
  for (int port = 0; port < static_cast<int>(in.size()); ++port) {
    for (int vc = 0; vc < context_->system->router.vcs; ++vc) {
      if (router_.buffered(port, vc) == 0) continue;
      const Packet& packet = packets[router_.front(port, vc).packet];
      const int out_port = router_.held_output_port(port, vc);
      const int out_vc = router_.held_output_vc(port, vc);
      std::string line =
          fmt::format("  router {} input {} vc {}: {} flits, packet {}->{} of {} flits, ", node(), port, vc,
                      router_.buffered(port, vc), packet.src, packet.dst, packet.flits);
      line += out_port < 0 ? std::string("not routed yet\n")
              : out_vc < 0 ? fmt::format("waiting for a virtual channel of output {}\n", out_port)
                           : fmt::format("holding output {} vc {} with {} credits\n", out_port, out_vc,
                                         router_.credits(out_port, out_vc));
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace coppice::fabric
