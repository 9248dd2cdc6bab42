#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/flit_events.h"
#include "fabric/flits/router_module.h"
#include "fabric/flits/switch_stretch.h"
#include "fabric/flits/terminal.h"
#include "fabric/wires/cycle_mask.h"

namespace coppice::fabric {

// Simulates the terminal's part of a stretch (NodeStretch): injections into the router's local ports and
// ejections from them. It first predicts injections and ejections without side effects and then advances to
// the end of the stretch.
class TerminalStretch {
 public:
  // A flit event to report to the observers.
  struct FlitReport {
    Cycles at;
    FlitEvents::Stage stage;
    int port;  // input port of the receiving module
    FlitEvent event;
  };
  // Flits that arrive at a local input of the router within the stretch.
  struct Injection {
    int port = 0;  // input port of the router
    int vc = 0;
    Flit first;
    CycleMask arrivals;
  };
  // The credits that return to a virtual channel of a local output.
  struct Return {
    std::int32_t output_vc = 0;
    int credits = 0;
  };

  // All arguments must outlive this object.
  TerminalStretch(SystemCRouter& router, PacketTerminal& terminal, FlitContext& context);

  // Whether a port of the router is a local port.
  bool is_local_input(int port) const { return port >= first_in_; }
  bool is_local_output(int port) const { return port >= first_out_; }

  // The first cycle from `now` on in which a clocked event occurs, or the head or tail of a packet leaves or
  // reaches the terminal; at most `end`.
  Cycles undisturbed(Cycles now, Cycles end) const;
  // Stores the flits that arrive at the terminal before `end`, because the calendar is about to skip the
  // cycles of their arrival.
  void fetch_flits(Cycles end);
  // Returns the first cycle, at most `end`, from which on the router and the terminal may depend on each
  // other's flits and credits. Before this cycle, at least one of the two has enough buffered flits and
  // credits. Also determines which ports inject, and whether their injections depend on the router.
  Cycles independent(Cycles now, Cycles end);
  // Predicts the injections that are independent of the flits leaving the router in the stretch. Returns the
  // first cycle in which a tail would be injected, but at most `end`.
  Cycles foresee(Cycles now, Cycles end);
  // Predicts the injections that depend on which flits leave the router. Call this after `flows` have been
  // computed.
  Cycles foresee_answers(const std::vector<SwitchFlow>& flows, Cycles now, Cycles end);

  // Advances the terminal to cycle `end`. `flows` contains the flits that the router sends before then.
  void move(const std::vector<SwitchFlow>& flows, Cycles now, Cycles end, std::vector<FlitReport>& reports);

  // The injections, which are predicted before move() and final after it, ordered by router port.
  const std::vector<Injection>& injections() const { return injections_; }
  // The credits returned by the last move().
  const std::vector<Return>& returns() const { return returns_; }

 private:
  // A local port of the router and the corresponding port of the terminal.
  struct Local {
    int in = 0;            // the router's input port
    int out = 0;           // the router's output port
    bool injects = false;  // whether the port injects on `vc` in the current stretch
    bool answers = false;  // whether its injections depend on which flits leave the router
    int vc = 0;
    CycleMask sent;                  // predicted injections
    std::vector<CycleMask> returns;  // [vc]: credits that reach the terminal
  };
  // A flow that leaves the router, and the next flit of the flow.
  struct Leaving {
    const SwitchFlow* flow;
    int vc;
    Flit next;
  };

  PacketPool& packets() const { return context_->packets; }
  InjectionPort& port_of(const Local& local) const {
    return terminal_->injection_[static_cast<std::size_t>(local.in - first_in_)];
  }
  Cycles credit_delay(const Local& local) const;
  void gather_returns(Local& local, Cycles now, Cycles end);
  void add_returns(Local& local, const std::vector<SwitchFlow>& flows, Cycles cycles) const;
  Cycles plan(Local& local, Cycles now, Cycles end) const;
  Injection injection_of(const Local& local, Cycles cycles) const;
  void return_slots(const Local& local, const std::vector<SwitchFlow>& flows, Cycles now, Cycles cycles);
  void inject(const Local& local, Cycles now, Cycles cycles, std::vector<FlitReport>& reports);
  void eject(const Local& local, const std::vector<SwitchFlow>& flows, Cycles now, Cycles end);
  void take_waiting(const Local& local, Cycles end);
  void take(const Local& local, Flit flit, int vc, Cycles at, Cycles end);
  void count_ejected(PacketId packet, int flits, std::int64_t sum, Cycles last);
  void notify_ejectors();

  SystemCRouter* module_;
  PacketTerminal* terminal_;
  FlitContext* context_;
  int vcs_;
  int first_in_;  // first local ports of the router
  int first_out_;
  std::vector<Local> locals_;  // [local port]
  std::vector<Injection> injections_;
  std::vector<Return> returns_;
  std::vector<Leaving> leaving_;
  std::vector<ReceivedFlits::Received> ejected_;
};

}  // namespace coppice::fabric
