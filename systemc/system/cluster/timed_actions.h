#pragma once

#include <functional>
#include <queue>
#include <systemc>
#include <utility>
#include <vector>

#include "base/time_limit.h"
#include "base/units.h"
#include "fabric/failure.h"
#include "fabric/sim_time.h"

namespace coppice::system {

// Calls functions at given simulated times, for actions of jobs and their controller between messages.
// Functions with the same time are called in the order in which they were requested.
class Conductor final : public sc_core::sc_module {
 public:
  // `failure`, which must outlive the conductor, receives the exceptions that the functions throw.
  Conductor(const sc_core::sc_module_name& name, fabric::Failure& failure)
      : sc_module(name), wake_("wake"), failure_(&failure) {
    SC_HAS_PROCESS(Conductor);
    SC_METHOD(process);
    sensitive << wake_;
    dont_initialize();
  }

  static Femtoseconds now() { return static_cast<Femtoseconds>(sc_core::sc_time_stamp().value()); }

  // `time` must not be in the past.
  void at(Femtoseconds time, std::function<void()> action) {
    if (time > kLongestTime) throw TimeLimitError("the study");
    actions_.push({time, next_++, std::move(action)});
    wake_.notify(fabric::to_sc_time(actions_.top().time - now()));
  }

 private:
  struct Action {
    Femtoseconds time;
    std::uint64_t number;
    std::function<void()> run;
    bool operator>(const Action& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  void process() {
    failure_->guard([this] {
      while (!actions_.empty() && actions_.top().time <= now()) {
        const auto run = actions_.top().run;
        actions_.pop();
        run();
      }
      if (!actions_.empty()) wake_.notify(fabric::to_sc_time(actions_.top().time - now()));
    });
  }

  std::priority_queue<Action, std::vector<Action>, std::greater<>> actions_;
  std::uint64_t next_ = 0;
  sc_core::sc_event wake_;
  fabric::Failure* failure_;
};

}  // namespace coppice::system
