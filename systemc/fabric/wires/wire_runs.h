#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/wires/bursts.h"
#include "fabric/wires/cycle_mask.h"

namespace coppice::fabric {

// Consecutive body flits of a packet, or consecutive credits, on one virtual channel of a wire, stored as the
// set of cycles in which they arrive. In stretches (NodeStretch), runs cost less than single items.
struct FlitRun {
  Cycles begin = 0;  // the cycle of the mask's first bit
  CycleMask cycles;
  Flit first;
  int vc = 0;
};
struct CreditRun {
  Cycles begin = 0;
  CycleMask cycles;
  int vc = 0;
};

inline void shorten(FlitRun& run, int taken) {
  run.first = later(run.first, taken);
}
inline void shorten(CreditRun&, int) {}

// The part of a run that arrives before cycle `end`, counted from cycle `now`. No item of the run may arrive
// before `now`.
template <typename Run>
CycleMask arriving(const Run& run, Cycles now, Cycles end) {
  if (run.begin >= end) return {};
  const CycleMask cycles =
      run.begin >= now ? run.cycles.later(run.begin - now) : run.cycles.from(now - run.begin);
  return cycles & CycleMask::first(end - now);
}

// Removes everything that arrives before cycle `end` from `runs`. Calls f(run), in order, with runs that
// contain the removed items and are counted from cycle `now`. No item may arrive before `now`. Returns
// whether any items remain in `runs`.
template <typename Run, typename F>
bool pop_runs(std::vector<Run>& runs, Cycles now, Cycles end, F&& f) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run run = runs[i];
    if (run.begin < end) {
      Run part = run;
      part.begin = now;
      part.cycles = arriving(run, now, end);
      const int taken = part.cycles.count();
      if (taken > 0) f(part);
      run.cycles = run.cycles.from(end - run.begin);
      run.begin = end;
      if (run.cycles.empty()) continue;
      shorten(run, taken);
    }
    runs[kept++] = run;
  }
  runs.resize(kept);
  return kept > 0;
}

// The first cycle in which an item of `runs` arrives; there must be at least one.
template <typename Run>
Cycles first_arrival(const std::vector<Run>& runs) {
  Cycles first = runs.front().begin + runs.front().cycles.front();
  for (const Run& run : runs) first = std::min(first, run.begin + run.cycles.front());
  return first;
}

}  // namespace coppice::fabric
