#pragma once

#include <cstdint>

#include "base/units.h"

namespace coppice::system {

// Counts of measured packets, which are those created inside [start, end), and sums of their times.
struct Measurement {
  Cycles start = 0;
  Cycles end = 0;
  std::int64_t created = 0;  // number of measured packets
  std::int64_t created_flits = 0;
  std::int64_t finished = 0;  // number of measured packets that have been ejected
  std::int64_t finished_flits = 0;
  std::int64_t packet_latency = 0;
  std::int64_t flit_latency = 0;
  std::int64_t hops = 0;
  // Flits ejected inside [start, end), whether their packets are measured or not.
  std::int64_t ejected_flits = 0;
  std::int64_t transactions = 0;  // measured requests whose replies have been ejected
  std::int64_t transaction_latency = 0;
  Cycles last_ejection = 0;

  bool covers(Cycles cycle) const { return cycle >= start && cycle < end; }
};

}  // namespace coppice::system
