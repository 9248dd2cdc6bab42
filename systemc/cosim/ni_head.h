#pragma once

#include <cstdint>

#include "cosim/ni_signals.h"

namespace coppice::cosim {

// Widths of a head flit's fields for a collective and its flow; with one context, there is no collective id.
struct HeadLayout {
  int flow_bits;
  int id_bits;
};
inline constexpr HeadLayout kOneContext{NiLimits::kFlowBits, 0};

// The fields of a head flit.
struct NiHead {
  bool add = false;
  std::uint32_t flow = 0;
  std::uint32_t id = 0;
  std::uint32_t address = 0;
  std::uint32_t words = 0;
  std::uint32_t source = 0;    // node * ports + port
  std::uint32_t sequence = 0;  // index of the message at its source port
  std::uint32_t packets = 0;
  std::uint64_t route = 0;
};
FlitBits encode(const NiHead& head, const HeadLayout& layout = kOneContext);
NiHead decode(const FlitBits& flit, const HeadLayout& layout = kOneContext);

}  // namespace coppice::cosim
