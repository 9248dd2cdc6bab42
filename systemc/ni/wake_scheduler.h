#pragma once

#include <systemc>
#include <vector>

#include "base/time_limit.h"
#include "base/units.h"
#include "fabric/failure.h"
#include "fabric/flits/flit_module.h"
#include "fabric/flits/repeating.h"
#include "fabric/sim_time.h"
#include "fabric/trains/calendar.h"

namespace coppice::ni {

// Wakes network interfaces in the cycles that they have requested.
class WakeScheduler {
 public:
  class Sleeper {
   public:
    virtual void wake(Cycles now) = 0;
    // Prefetches data that the module will need when it wakes, because in large systems the data is not in
    // the caches. Called for stages 0 to kStages - 1 in turn, each when the prefetches of the previous stage
    // should have completed.
    static constexpr std::size_t kStages = 4;
    virtual void wakes_soon(std::size_t /*stage*/) const {}

   protected:
    ~Sleeper() = default;
  };
  // Sets an alarm for cycle `at`, which must not be in the past or, before the simulation starts, negative.
  // `sleeper` must outlive its alarms.
  virtual void set(Cycles at, Sleeper& sleeper) = 0;

 protected:
  ~WakeScheduler() = default;
};

// Wakes all modules that are due in a cycle with a single kernel event. In a collective, thousands of
// interfaces may wake in the same cycle, and separate events would cost more than the work of the interfaces.
class AlarmClock final : public sc_core::sc_module, public WakeScheduler {
 public:
  // Exceptions thrown by sleepers are stored in `failure`.
  AlarmClock(const sc_core::sc_module_name& name, Femtoseconds period, fabric::Failure& failure)
      : sc_module(name), period_(period), failure_(&failure), event_("wake") {
    SC_HAS_PROCESS(AlarmClock);
    SC_METHOD(ring);
    sensitive << event_;
    dont_initialize();
  }

  // Sleepers due in the same cycle wake in the order in which their alarms were set.
  void set(Cycles at, Sleeper& sleeper) override {
    alarms_.add(at, &sleeper);
    if (next_ >= 0 && next_ <= at) return;
    next_ = at;
    event_.notify(fabric::to_sc_time(checked_time(at, period_)) - sc_core::sc_time_stamp());
  }

 private:
  void ring() {
    failure_->guard([this] {
      const Cycles now = next_;
      const std::vector<Sleeper*>& sleepers = alarms_.take();
      const bool prefetches = sleepers.size() > kCached;
      for (std::size_t i = 0; i < sleepers.size(); ++i) {
        if (prefetches) prefetch_after(sleepers, i);
        sleepers[i]->wake(now);
      }
      next_ = alarms_.empty() ? -1 : alarms_.next();
      if (next_ >= 0) event_.notify(fabric::to_sc_time(checked_time(next_, period_) - now * period_));
    });
  }

  // The number of interfaces whose state stays in the caches from one wake-up to the next.
  static constexpr std::size_t kCached = 512;

  // Prefetches data for several modules that wake after sleeper `i`, each module at a different stage.
  static void prefetch_after(const std::vector<Sleeper*>& sleepers, std::size_t i) {
    constexpr std::size_t kApart = 2;
    constexpr std::size_t kFirst = Sleeper::kStages * kApart;
    for (std::size_t stage = 0; stage < Sleeper::kStages; ++stage) {
      const std::size_t later = i + kFirst - stage * kApart;
      if (later < sleepers.size()) sleepers[later]->wakes_soon(stage);
    }
    if (i + kFirst + kApart < sleepers.size()) __builtin_prefetch(sleepers[i + kFirst + kApart]);
  }

  Femtoseconds period_;
  fabric::Failure* failure_;
  fabric::Calendar<Sleeper*> alarms_;
  sc_core::sc_event event_;
  Cycles next_ = -1;  // -1 if no alarm is set
};

// The alarm of a network interface that is clocked by its node together with the router. It needs no kernel
// events.
class NodeAlarm final : public fabric::FlitModule, public fabric::Repeating, public WakeScheduler {
 public:
  explicit NodeAlarm(const sc_core::sc_module_name& name) : FlitModule(name, 0, 0) {}

  void set(Cycles at, Sleeper& sleeper) override {
    sleeper_ = &sleeper;
    wake(at);
  }
  void receive_flit(int, int, fabric::Flit, Cycles) override {}
  void receive_credit(int, int, Cycles) override {}
  void step(Cycles now) override {
    set_next(fabric::kNever);
    disturb();
    sleeper_->wake(now);
  }
  void visit(fabric::StateRecorder& recorder) override { recorder.timer(next()); }
  void visit(fabric::StateShifter& /*shifter*/) override {}

 private:
  Sleeper* sleeper_ = nullptr;
};

}  // namespace coppice::ni
