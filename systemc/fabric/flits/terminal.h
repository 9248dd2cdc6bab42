#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/statistics.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/flit_module.h"
#include "fabric/flits/injection_port.h"
#include "fabric/flits/port_set.h"
#include "fabric/flits/repeating.h"
#include "fabric/network_port.h"

namespace coppice::fabric {

// The module at the local ports of a router: out[p] is bound to the injection channel of port p, and in[p] to
// the ejection channel of port p.
class Terminal : public FlitModule, public StatisticsOwner {
 public:
  // `context` must outlive this module.
  Terminal(const sc_core::sc_module_name& name, NodeId node, int ports, FlitContext& context)
      : FlitModule(name, ports, ports), context_(&context), node_(node) {}

  // The number of buffer slots in the router's input port that are known to be free.
  virtual int credits(int port, int vc) const = 0;

  NodeId node() const { return node_; }
  std::int64_t flits_injected() const { return injected_; }
  std::int64_t flits_ejected() const { return ejected_; }
  void read_statistics(const Reader& read) const override {
    read({"terminal", "flits_injected", "", "Flits injected into the router."},
         static_cast<double>(injected_));
    read({"terminal", "flits_ejected", "", "Flits ejected from the router."}, static_cast<double>(ejected_));
  }

 protected:
  FlitContext& context() { return *context_; }
  const FlitContext& context() const { return *context_; }
  // Sends a flit into the injection channel in cycle `now`.
  void inject(int port, int vc, Flit flit, Cycles now) {
    ++injected_;
    moved(now);
    if (context_->events.watched()) {
      context_->events.report(FlitEvents::Stage::kInjection, {node_, -1, port, vc, flit},
                              context_->packets[flit.packet], now);
    }
    wire_out(port).send(flit, vc, now + 1);
  }
  // Accepts a flit that has left the ejection channel. Returns the flit's packet, which is valid until its
  // tail is released.
  Packet& eject(int port, int vc, Flit flit, Cycles now) {
    ++ejected_;
    moved(now);
    wire_in(port).return_credit(vc, now + 1);
    Packet& packet = context_->packets[flit.packet];
    packet.ejection_cycles += now;
    return packet;
  }
  void release(PacketId packet) { context_->packets.release(packet); }
  template <typename Visitor>
  void visit_counts(Visitor& visitor) {
    visit_clocking(visitor);
    visitor.counter(injected_);
    visitor.counter(ejected_);
  }

 private:
  friend class TerminalStretch;

  FlitContext* context_;
  NodeId node_;
  std::int64_t injected_ = 0;
  std::int64_t ejected_ = 0;
};

// A terminal for whole packets. Each port has an InjectionPort, and an Ejector that receives arriving
// packets.
class PacketTerminal final : public Terminal, public Repeating {
 public:
  PacketTerminal(const sc_core::sc_module_name& name, NodeId node, int ports, FlitContext& context);

  // Connects a port to its injector and its ejector, which the terminal does not own.
  void connect(int port, Injector& injector, Ejector& ejector);
  // Announces that the injector of `port` has data to send from cycle `at` on.
  void wake(int port, Cycles at);
  // Returns the port to which a network interface can be bound.
  NetworkPortIf& network_port(int port) { return *network_ports_[static_cast<std::size_t>(port)]; }

  void receive_flit(int port, int vc, Flit flit, Cycles now) override;
  void receive_credit(int port, int vc, Cycles now) override;
  void arrive(std::uint64_t lines, Cycles now) override { receive_arrivals(*this, lines, now); }
  void step(Cycles now) override;
  int credits(int port, int vc) const override {
    return injection_[static_cast<std::size_t>(port)].credits(vc);
  }
  void visit(StateRecorder& recorder) override { visit_all(recorder); }
  void visit(StateShifter& shifter) override { visit_all(shifter); }

 private:
  friend class TerminalStretch;

  class NetworkPort final : public sc_core::sc_object, public NetworkPortIf {
   public:
    NetworkPort(const char* name, PacketTerminal& terminal, int port)
        : sc_object(name), terminal_(&terminal), port_(port) {}
    void connect(Injector& injector, Ejector& ejector) override {
      terminal_->connect(port_, injector, ejector);
    }
    void wake(Cycles at) override { terminal_->wake(port_, at); }

   private:
    PacketTerminal* terminal_;
    int port_;
  };
  struct Wakeup {
    Cycles at;
    std::int32_t port;
    bool clock;  // whether a new message becomes available then; otherwise, the pace allows the next flit
    bool operator>(const Wakeup& other) const { return at > other.at; }
  };
  // A min-heap ordered by wake-up time.
  class Wakeups {
   public:
    bool empty() const { return heap_.empty(); }
    const Wakeup& top() const { return heap_.front(); }
    void push(const Wakeup& wakeup) {
      heap_.push_back(wakeup);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    void pop() {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
    template <typename Visitor>
    void visit(Visitor& visitor);

   private:
    std::vector<Wakeup> heap_;
  };

  template <typename Visitor>
  void visit_all(Visitor& visitor);

  std::vector<InjectionPort> injection_;  // [port]
  std::vector<Ejector*> ejectors_;        // [port]
  std::vector<Ejector*> flit_takers_;     // [port]; nullptr if the ejector does not need individual flits
  std::vector<Repeating*> repeating_;     // all injectors and ejectors
  bool repeats_ = true;                   // whether all injectors and ejectors are Repeating
  std::vector<std::unique_ptr<NetworkPort>> network_ports_;  // [port]
  PortSet awake_;
  Wakeups wakeups_;
};

}  // namespace coppice::fabric
