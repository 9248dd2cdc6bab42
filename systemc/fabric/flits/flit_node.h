#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_module.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/stretch_judge.h"
#include "fabric/wires/arrival_calendar.h"

namespace coppice::fabric {

struct FlitContext;
class NodeStretch;
class SwitchStretch;

// A node of the network: a router and its terminals, which are clocked together. Runs only the cycles in
// which something arrives or a module has requested a step.
//
// In each cycle, all arrivals are delivered before the modules are stepped in the order in which they were
// added.
class FlitNode : public sc_core::sc_module {
 public:
  // A callback that creates more modules inside the node during its construction.
  using Populate = std::function<void(FlitNode& node)>;

  // `clock` must outlive the node.
  FlitNode(const sc_core::sc_module_name& name, NodeClock& clock, const Populate& populate = {});
  ~FlitNode() override;

  // Adds a module, which the node does not own; call this before the end of elaboration.
  void add(FlitModule& module);

  // Runs the cycles with work in [from, until); returns the next cycle with work, kNever if there is none.
  Cycles run(Cycles from, Cycles until);
  // Requests that the modules be stepped in cycle `at`.
  void wake(Cycles at) { clock_->wake(index_, at); }
  // Marks the activity of a module as not periodic.
  void disturb() { clock_->disturb(index_); }
  const std::vector<FlitModule*>& modules() const { return modules_; }
  // Delays all arrivals at the node by `by` cycles, after its modules have been advanced by the same time;
  // returns the next cycle with work.
  Cycles shift(Cycles by);
  // Lets the node simulate stretches in one step if possible (NodeStretch), and accept runs from other nodes.
  void stretch(FlitContext& context, SwitchStretch& switches);
  // The number of cycles simulated in stretches.
  std::int64_t stretched() const;
  // For StretchJudge: returns the gain from stretches since the last call.
  StretchGain collect_stretch_gain();
  // For StretchJudge: prevents new stretches before cycle `until`.
  void rest_from_stretches(Cycles until);

 private:
  // A calendar line, if the node's lines need more than one word.
  struct Line {
    Wire* wire;
    FlitModule* module;
    std::int32_t port;
    bool credits;
  };

  // A module and its lines, if all lines of the node fit into one word.
  struct Stand {
    FlitModule* module;
    std::uint64_t lines;
    int first;
  };

  void end_of_elaboration() override;
  void hand_over(Cycles now);
  void hand_over_by_line(Cycles now);
  Cycles wanted_by_modules() const;
  // Converts the parts of runs that arrive before cycle `end` into individual arrivals.
  void spread(Cycles end);
  Cycles run_one_by_one(Cycles from, Cycles until);

  NodeClock* clock_;
  std::size_t index_;
  std::vector<FlitModule*> modules_;
  std::vector<Line> lines_;
  std::vector<Stand> stands_;
  ArrivalCalendar arrivals_;
  std::unique_ptr<NodeStretch> stretch_;
  bool runs_come_ = false;  // whether other nodes send runs
};

}  // namespace coppice::fabric
