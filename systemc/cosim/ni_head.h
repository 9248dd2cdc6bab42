#pragma once

#include <cstdint>

#include "cosim/ni_signals.h"

namespace coppice::cosim {

// The widths of the fields for a flow and a collective in a head flit. With one context, there is no field
// for the collective's ID.
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
  std::uint32_t sequence = 0;  // index of the message at the port that sends it
  std::uint32_t packets = 0;
  std::uint64_t route = 0;
};
FlitBits encode(const NiHead& head, const HeadLayout& layout = kOneContext);
NiHead decode(const FlitBits& flit, const HeadLayout& layout = kOneContext);

}  // namespace coppice::cosim
