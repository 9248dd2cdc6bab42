#include "cosim/ni_head.h"

#include "cosim/bit_fields.h"

namespace coppice::cosim {
namespace {

using Limits = NiLimits;

}  // namespace

FlitBits encode(const NiHead& head, const HeadLayout& layout) {
  FlitBits flit{};
  Fields fields(flit);
  fields.put(head.add ? 1 : 0, 1);
  fields.put(head.flow, static_cast<unsigned>(layout.flow_bits));
  fields.put(head.id, static_cast<unsigned>(layout.id_bits));
  fields.put(head.address, Limits::kAddressBits);
  fields.put(head.words, Limits::kLengthBits);
  fields.put(head.source, Limits::kSourceBits);
  fields.put(head.sequence, Limits::kSequenceBits);
  fields.put(head.packets, Limits::kPacketsBits);
  fields.put(head.route, Limits::kRouteBits);
  return flit;
}

NiHead decode(const FlitBits& flit, const HeadLayout& layout) {
  Fields fields(flit);
  NiHead head;
  const auto next = [&](int width) {
    return static_cast<std::uint32_t>(fields.get(static_cast<unsigned>(width)));
  };
  head.add = next(1) != 0;
  head.flow = next(layout.flow_bits);
  head.id = next(layout.id_bits);
  head.address = next(Limits::kAddressBits);
  head.words = next(Limits::kLengthBits);
  head.source = next(Limits::kSourceBits);
  head.sequence = next(Limits::kSequenceBits);
  head.packets = next(Limits::kPacketsBits);
  head.route = fields.get(Limits::kRouteBits);
  return head;
}

}  // namespace coppice::cosim
