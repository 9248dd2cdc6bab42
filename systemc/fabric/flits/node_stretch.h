#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/router_module.h"
#include "fabric/flits/switch_stretch.h"
#include "fabric/flits/terminal.h"

namespace coppice::fabric {

// Runs a node through stretches of cycles at once, in which nothing but the middles of packets moves through
// it: no head is routed, no tail leaves, nothing happens by the clock. What flits do then follows from how
// many there are (SwitchStretch); they come and go in runs. All of it is as if the cycles had been simulated
// one by one.
class NodeStretch {
 public:
  // Of a node of these modules; it is able() unless they are others than a router, a terminal of packets and
  // what has no channels. All outlive it; the nodes of a thread share `context` and `switches`.
  NodeStretch(const std::vector<FlitModule*>& modules, ArrivalCalendar& arrivals, FlitContext& context,
              SwitchStretch& switches);
  bool able() const { return able_; }

  // The cycle, up to `until`, that the node has been brought to from cycle `now`; `now` where no stretch
  // begins that is worth it.
  Cycles run(Cycles now, Cycles until);
  // The cycle before which it is not worth asking again.
  Cycles resume() const { return resume_; }
  // What comes before cycle `end` is to come one by one.
  void spread(Cycles end);
  // Cycles that were run in stretches.
  std::int64_t cycles() const { return cycles_; }

 private:
  // Flits of a packet that follow each other.
  struct Segment {
    Flit first;
    int flits;
    bool tail;  // the last is one
  };
  // A local port of the router, and that of the terminal.
  struct Local {
    int in = 0;  // the router's ports
    int out = 0;
    bool injects = false;  // in the stretch at hand, on `vc`
    int vc = 0;
    bool answers = false;            // what it injects depends on what the router takes
    std::vector<CycleMask> returns;  // [vc] credits that come to the terminal
  };
  // Of a local input (in_port) or output (out_port) of the router; -1: the other.
  struct LocalFlow {
    CycleMask sent;
    Flit first;
    int in_port;
    int out_port;
    int vc;
  };
  struct Told {
    Cycles at;
    FlitEvents::Stage stage;
    int port;  // of its module's input
    FlitEvent event;
  };

  FlitContext& context() const { return *context_; }
  PacketPool& packets() const { return context_->packets; }
  Cycles undisturbed(Cycles now, Cycles end);
  Cycles undisturbed_by_terminal(Cycles now, Cycles end) const;
  Cycles undisturbed_by_channels(Cycles now, Cycles end) const;
  Cycles independent(Cycles now, Cycles end);
  void take_arrivals(Cycles now, Cycles end);
  void take_flits(int port, Cycles now, Cycles end);
  void add_segment(std::size_t input_vc, const Segment& segment);
  void find_flows();
  void run_switch(Cycles now, Cycles cycles);
  void pass_on(const SwitchFlow& flow, Cycles now, Cycles cycles);
  Flit first_of(std::size_t input_vc) const;
  void inject(Local& local, Cycles now, Cycles cycles);
  void pass_locally(Cycles now, Cycles end);
  void eject(Local& local, Cycles now, Cycles end);
  void buffer(std::size_t input_vc);
  void finish(Cycles now, Cycles end);
  void judge(Cycles end);

  bool able_ = true;
  SystemCRouter* module_ = nullptr;
  PacketTerminal* terminal_ = nullptr;
  std::vector<FlitModule*> others_;
  ArrivalCalendar* arrivals_;
  FlitContext* context_;
  SwitchStretch* switches_;
  std::vector<Local> locals_;   // [local port]
  std::vector<int> local_in_;   // [input port] its local port; -1: a channel
  std::vector<int> local_out_;  // [output port] likewise
  Cycles pause_ = 8;
  Cycles resume_ = 0;
  std::int64_t cycles_ = 0;
  int doublings_ = 0;             // of the pause of a node whose stretches are not worth it
  int stretches_ = 0;             // since the node was judged last,
  std::int64_t moved_flits_ = 0;  // and flits that they moved through the router

  // Of the stretch at hand.
  std::vector<CycleMask> arriving_;             // [input VC] flits
  std::vector<std::vector<Segment>> segments_;  // [input VC] the same
  std::vector<CycleMask> returning_;            // [output VC] credits
  std::vector<int> sent_;                       // [input VC] flits that left
  std::vector<SwitchFlow> flows_;
  SwitchPart part_;
  std::vector<LocalFlow> local_flows_;
  std::vector<TakenFlits::Taken> ejected_;
  std::vector<Told> told_;
};

}  // namespace coppice::fabric
