#include "fabric/wires/wire.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::fabric {
namespace {

// Calls f(run, cycle, index) for each item of `runs` that arrives before `end`, and removes these items.
// `index` is the position of the item in its run.
template <typename Run, typename F>
void cut_runs(std::vector<Run>& runs, Cycles end, F&& f) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run run = runs[i];
    int cut = 0;
    const CycleMask before =
        run.cycles & CycleMask::first(end == kNever ? CycleMask::kMost : end - run.begin);
    before.for_each([&](Cycles cycle) { f(run, run.begin + cycle, cut++); });
    if (end != kNever && run.begin < end) {
      run.cycles = run.cycles.from(end - run.begin);
      run.begin = end;
    }
    shorten(run, cut);
    if (end != kNever && !run.cycles.empty()) runs[kept++] = run;
  }
  runs.resize(kept);
}

}  // namespace

void Wire::refuse(Flit flit, Stamp stamp) {
  throw ModelError(
      fmt::format("a channel delivers two flits in cycle {}, the second on virtual channel {} (packet {}): "
                  "a sender may send only one per cycle",
                  stamp.at(), stamp.vc(), flit.packet));
}

void Wire::refuse(Stamp credit) {
  throw ModelError(fmt::format(
      "a channel delivers two credits of virtual channel {} in cycle {}: a receiver may free only "
      "one slot of a virtual channel per cycle",
      credit.vc(), credit.at()));
}

// Runs and single flits never arrive in the same cycle, but may alternate.
void Wire::spread_flit_runs(Cycles end) {
  if (first_arrival(flit_runs_) >= end) return;
  std::vector<TimedFlit> spread;
  cut_runs(flit_runs_, end, [&](const FlitRun& run, Cycles at, int index) {
    spread.push_back({later(run.first, index), {at, run.vc}});
    receiver().expect(at);
  });
  if (!flit_runs_.empty()) receiver().expect(first_arrival(flit_runs_));
  if (spread.empty()) return;
  const auto earlier = [](const TimedFlit& a, const TimedFlit& b) { return a.stamp.at() < b.stamp.at(); };
  std::sort(spread.begin(), spread.end(), earlier);
  const Cycles last = spread.back().stamp.at();
  while (has_flit(last)) spread.push_back(pop_flit());
  std::sort(spread.begin(), spread.end(), earlier);
  for (auto flit = spread.rbegin(); flit != spread.rend(); ++flit)
    flits_.ring.push_front({flit->flit, flit->stamp});
}

void Wire::spread_credit_runs(Cycles end) {
  if (first_arrival(credit_runs_) >= end) return;
  std::vector<Stamp> spread;
  cut_runs(credit_runs_, end, [&](const CreditRun& run, Cycles at, int) {
    spread.emplace_back(at, run.vc);
    sender().expect(at);
  });
  if (!credit_runs_.empty()) sender().expect(first_arrival(credit_runs_));
  if (spread.empty()) return;
  const auto earlier = [](const Stamp& a, const Stamp& b) { return a.at() < b.at(); };
  std::sort(spread.begin(), spread.end(), earlier);
  const Cycles last = spread.back().at();
  while (has_credit(last)) {
    bool over = false;
    spread.push_back(credits_.ring.front().take(over));
    if (over) credits_.ring.pop();
  }
  std::sort(spread.begin(), spread.end(), earlier);
  for (auto credit = spread.rbegin(); credit != spread.rend(); ++credit)
    credits_.ring.push_front(CreditBurst(*credit));
}

}  // namespace coppice::fabric
