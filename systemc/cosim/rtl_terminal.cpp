#include "cosim/rtl_terminal.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::cosim {
using schedule::Op;

NiSettings settings_of(const ni::NiContext& context, topology::NodeId node) {
  const config::SystemConfig& system = *context.system;
  NiSettings settings;
  settings.lockstep = system.ni.lockstep;
  settings.absorbs = static_cast<std::uint32_t>(system.ni.buffer);
  settings.dma_latency = static_cast<std::uint32_t>(system.ni.dma_latency);
  settings.payload_words =
      context.framing.flow_control == config::FlowControl::kMessage ? 0 : words_of(context.framing.payload);
  settings.source = static_cast<std::uint32_t>(node) * kPorts;
  settings.credits = static_cast<std::uint32_t>(system.router.vc_depth);
  settings.vcs = system.router.vcs;
  return settings;
}

NiLine line_of(const ni::NiContext& context, const schedule::TableLine& line, const topology::Route* route) {
  NiLine bits = line_of(context.framing, line);
  if (route != nullptr) bits.route = route_bits(*route);
  return bits;
}

NiLine line_of(const fabric::Framing& framing, const schedule::TableLine& line) {
  const schedule::TableEntry& entry = line.base;
  NiLine bits;
  bits.first = static_cast<std::uint32_t>(line.first);
  bits.end = static_cast<std::uint32_t>(line.end);
  bits.op = entry.op == Op::kNop ? 2 : entry.op == Op::kReduce ? 1 : 0;
  bits.step = static_cast<std::uint32_t>(entry.step);
  if (entry.op == Op::kNop) {
    bits.flits = static_cast<std::uint32_t>(framing.flits(entry.bytes));
    return bits;
  }
  bits.flits = static_cast<std::uint32_t>(framing.flits(entry.message_bytes()));
  bits.flow = static_cast<std::uint32_t>(entry.flow);
  bits.dependencies = static_cast<std::uint32_t>(entry.dependencies);
  bits.address = static_cast<std::uint32_t>(entry.address / kWordBytes);
  bits.words = words_of(entry.bytes);
  bits.total = words_of(entry.message_bytes());
  bits.packets = static_cast<std::uint32_t>(framing.packets(entry.message_bytes()));
  return bits;
}

RtlTerminal::RtlTerminal(const sc_core::sc_module_name& name, NodeId node, int ports,
                         const ni::NiContext& context, const HeadLayout& layout, fabric::FlitContext& flits,
                         FlitContents& contents)
    : Terminal(name, node, ports, flits),
      context_(context),
      layout_(layout),
      contents_(&contents),
      senders_(static_cast<std::size_t>(ports)),
      reduction_(context.system->ni.reduction_latency) {
  for (Sender& sender : senders_) {
    std::fill_n(sender.credits.begin(), context.system->router.vcs, context.system->router.vc_depth);
  }
}

int RtlTerminal::credits(int port, int vc) const {
  return senders_[static_cast<std::size_t>(port)].credits[static_cast<std::size_t>(vc)];
}

RtlTerminal::Arrival RtlTerminal::take(int port, int vc, fabric::Flit flit, Cycles now) {
  const fabric::Packet& packet = eject(port, vc, flit, now);
  const Arrival arrival{contents_->read(flit.packet, packet, flit.sequence), packet.tag};
  if (flit.is_head()) {
    const auto flow = static_cast<std::uint32_t>((*context_.log)[packet.tag].entry->flow);
    if (decode(arrival.bits, layout_).flow != flow) fail("a head flit of another flow arrived", now);
  }
  if (!flit.tail) return arrival;
  senders_[static_cast<std::size_t>(port)].arriving = packet.tag;
  ++tails_[packet.tag];
  release(flit.packet);
  return arrival;
}

void RtlTerminal::take_outcome(const NiOutcome& outcome, Cycles now) {
  if (outcome.overflow) fail("a queue overflowed", now);
  // Credits must be returned immediately, as in the ejection channel of the model.
  if (!outcome.credits_as_taken)
    fail("a credit was not returned in the cycle in which its flit arrived", now);
  for (int i = 0; i < outcome.num_flits; ++i) send(outcome.flits[static_cast<std::size_t>(i)], now);
}

void RtlTerminal::message_came(int port, Cycles now) {
  const std::uint64_t message = senders_[static_cast<std::size_t>(port)].arriving;
  ni::MessageRecord& record = (*context_.log)[message];
  const auto tails = tails_.extract(message).mapped();
  if (tails != record.packets)
    fail(
        fmt::format("a message of {} packets was counted as arrived after {} packets", record.packets, tails),
        now);
  record.tail_ejected = now;
  record.dst_port = port;
  record.completed = reduction_.completion(record.entry->op, now);
  completions_.push({record.completed, port, message});
}

std::optional<std::uint64_t> RtlTerminal::next_counted(Cycles now) {
  if (next_count() > now) return std::nullopt;
  const std::uint64_t message = completions_.top().message;
  completions_.pop();
  return message;
}

void RtlTerminal::send(const NiFlit& flit, Cycles now) {
  Sender& port = senders_[static_cast<std::size_t>(flit.port)];
  if (port.messages.empty()) fail("a flit that does not belong to a message was sent", now);
  ni::MessageRecord& record = (*context_.log)[port.messages.front()];
  if (flit.head != (port.flits_sent == 0)) fail("a head flit was sent out of order", now);
  if (flit.head) start_packet(port, flit, now);
  fabric::Packet& packet = context().packets[port.packet];
  if (flit.tail != (port.flits_sent + 1 == packet.flits)) fail("a tail flit was sent out of order", now);
  packet.injection_cycles += now;
  --port.credits[static_cast<std::size_t>(flit.vc)];
  contents_->write(port.packet, packet, port.flits_sent, flit.bits);
  inject(flit.port, flit.vc, {port.packet, port.flits_sent & 0x7fffffffU, flit.tail ? 1U : 0U}, now);
  ++port.flits_sent;
  if (!flit.tail) return;
  port.flits_sent = 0;
  ++port.packet_index;
  if (!packet.last_of_message) return;
  record.tail_injected = now;
  port.free_since = now + 1;
  port.packet_index = 0;
  port.messages.pop_front();
  message_left(record, now);
}

void RtlTerminal::start_packet(Sender& port, const NiFlit& flit, Cycles now) {
  ni::MessageRecord& record = (*context_.log)[port.messages.front()];
  const TableEntry& entry = *record.entry;
  const topology::Route& route = route_of(record);
  if (decode(flit.bits, layout_).route != route_bits(route))
    fail("a head flit was sent with the wrong source route", now);
  if (port.packet_index == 0) {
    record.head_injected = now;
    record.port_free_since = port.free_since;
  }
  fabric::Packet packet;
  packet.route = route.data();
  packet.src = node();
  packet.dst = record.dst;
  packet.flits =
      static_cast<std::uint32_t>(context_.framing.packet_flits(entry.message_bytes(), port.packet_index));
  packet.tag = port.messages.front();
  packet.index = port.packet_index;
  packet.created = now;
  packet.head_injected = now;
  packet.flit_time = context_.period;
  packet.first_of_message = port.packet_index == 0;
  packet.last_of_message = port.packet_index + 1 == context_.framing.packets(entry.message_bytes());
  port.packet = context().packets.acquire(packet);
}

void RtlTerminal::fail(const std::string& what, Cycles now) const {
  throw ModelError(fmt::format("NI {} (Verilog) at cycle {}: {}", node(), now, what));
}

}  // namespace coppice::cosim
