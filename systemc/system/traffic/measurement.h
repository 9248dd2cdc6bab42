#pragma once

#include <cstdint>

#include "base/units.h"

namespace coppice::system {

// The sums over the packets of the measurement.
struct Measurement {
  Cycles start = 0;
  Cycles end = 0;
  std::int64_t created = 0;  // packets created inside [start, end)
  std::int64_t created_flits = 0;
  std::int64_t finished = 0;  // of these, ejected by now
  std::int64_t finished_flits = 0;
  std::int64_t packet_latency = 0;
  std::int64_t flit_latency = 0;
  std::int64_t hops = 0;
  std::int64_t ejected_flits = 0;  // ejected inside [start, end), of any packet
  std::int64_t transactions = 0;   // requests created inside [start, end) whose reply was ejected
  std::int64_t transaction_latency = 0;
  Cycles last_ejection = 0;

  bool covers(Cycles cycle) const { return cycle >= start && cycle < end; }
};

}  // namespace coppice::system
