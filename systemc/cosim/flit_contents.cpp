#include "cosim/flit_contents.h"

#include <algorithm>
#include <bit>

namespace coppice::cosim {
namespace {

using Limits = NiLimits;

constexpr int kHopBits = Limits::kHopPortBits + 2 * Limits::kHopVcBits;

std::uint32_t payload_words(const ni::NiContext& context) {
  return context.framing.flow_control == config::FlowControl::kMessage ? 0
                                                                       : words_of(context.framing.payload);
}

}  // namespace

std::uint64_t route_bits(const topology::Route& route) {
  std::uint64_t bits = 0;
  int at = 0;
  for (const topology::Hop& hop : route) {
    const std::uint64_t last = static_cast<std::uint64_t>(hop.vcs.end) - 1;
    const std::uint64_t code = static_cast<std::uint64_t>(hop.out_port) |
                               (static_cast<std::uint64_t>(hop.vcs.begin) << Limits::kHopPortBits) |
                               (last << (Limits::kHopPortBits + Limits::kHopVcBits));
    bits |= code << at;
    at += kHopBits;
  }
  return bits;
}

FlitBits head_bits(const ni::NiContext& context, const ni::MessageRecord& record,
                   const fabric::Packet& packet) {
  const schedule::TableEntry& entry = *record.entry;
  const std::uint32_t payload = payload_words(context);
  const std::uint32_t before = packet.index * payload;
  const std::uint32_t left = words_of(entry.bytes) > before ? words_of(entry.bytes) - before : 0;
  NiHead head;
  head.add = entry.op == schedule::Op::kReduce;
  head.flow = static_cast<std::uint32_t>(entry.flow);
  head.address = static_cast<std::uint32_t>(entry.address / kWordBytes) + before;
  head.words = payload == 0 ? left : std::min(left, payload);
  head.source = static_cast<std::uint32_t>(record.src * kPorts + record.src_port);
  // The message log assigns a unique number to each message in flight.
  head.sequence = static_cast<std::uint32_t>(packet.tag) % (1U << Limits::kSequenceBits);
  head.packets = static_cast<std::uint32_t>(context.framing.packets(entry.message_bytes()));
  head.route = route_bits(context.schedule->routes[static_cast<std::size_t>(entry.route)]);
  return encode(head);
}

std::size_t FlitContents::first_value(const fabric::Packet& packet, std::uint32_t sequence) const {
  return std::size_t{packet.index} * payload_words(*context_) + std::size_t{sequence - 1} * kLanes;
}

FlitBits FlitContents::payload_bits(const fabric::Packet& packet, std::uint32_t sequence) const {
  FlitBits bits{};
  const auto& values = (*context_->log)[packet.tag].payload.values;
  const std::size_t first = first_value(packet, sequence);
  for (std::size_t lane = 0; lane < kLanes && first + lane < values.size(); ++lane) {
    bits[lane] = std::bit_cast<std::uint32_t>(values[first + lane]);
  }
  return bits;
}

FlitBits FlitContents::read(fabric::PacketId id, const fabric::Packet& packet, std::uint32_t sequence) const {
  if (id < packets_.size() && packets_[id].of(packet) && packets_[id].written[sequence]) {
    return packets_[id].flits[sequence];
  }
  if (sequence > 0) return payload_bits(packet, sequence);
  return head_bits(*context_, (*context_->log)[packet.tag], packet);
}

void FlitContents::write(fabric::PacketId id, const fabric::Packet& packet, std::uint32_t sequence,
                         const FlitBits& bits) {
  if (id >= packets_.size()) packets_.resize(id + 1);
  Contents& contents = packets_[id];
  if (!contents.of(packet)) {
    contents.src = packet.src;
    contents.message = packet.tag;
    contents.index = packet.index;
    contents.created = packet.created;
    contents.flits.resize(packet.flits);
    contents.written.assign(packet.flits, false);
  }
  contents.flits[sequence] = bits;
  contents.written[sequence] = true;
  if (sequence == 0) return;
  auto& values = (*context_->log)[packet.tag].payload.values;
  const std::size_t first = first_value(packet, sequence);
  for (std::size_t lane = 0; lane < kLanes && first + lane < values.size(); ++lane) {
    values[first + lane] = std::bit_cast<float>(bits[lane]);
  }
}

}  // namespace coppice::cosim
