#pragma once

#include <cstdint>

#include "base/units.h"

namespace coppice::system {

// Sums over the measured packets.
struct Measurement {
  Cycles start = 0;
  Cycles end = 0;
  std::int64_t created = 0;  // packets created inside [start, end)
  std::int64_t created_flits = 0;
  std::int64_t finished = 0;  // measured packets that have been ejected
  std::int64_t finished_flits = 0;
  std::int64_t packet_latency = 0;
  std::int64_t flit_latency = 0;
  std::int64_t hops = 0;
  std::int64_t ejected_flits = 0;  // flits of any packet, ejected inside [start, end)
  std::int64_t transactions = 0;   // requests created inside [start, end) whose replies have been ejected
  std::int64_t transaction_latency = 0;
  Cycles last_ejection = 0;

  bool covers(Cycles cycle) const { return cycle >= start && cycle < end; }
};

}  // namespace coppice::system
