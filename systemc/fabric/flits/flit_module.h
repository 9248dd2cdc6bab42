#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/flits/port_set.h"
#include "fabric/wires/channel.h"

namespace coppice::fabric {

class FlitNode;

// A module that receives and sends flits: a router or a terminal, written in SystemC or Verilog. It is
// clocked by the node to which it is added (FlitNode::add()).
//
// In each cycle, the node calls receive_flit() and receive_credit() for every arrival and then calls step(),
// unless next() is a later cycle. The module sends a flit with wire_out(port).send(flit, vc, leaves) and
// frees a buffer slot with wire_in(port).return_credit(vc, leaves), where `leaves` is the current cycle plus
// the module's own delay.
class FlitModule : public sc_core::sc_module {
 public:
  // Input ports receive flits and return credits; output ports send flits and receive credits. Every port is
  // bound to one end of a Channel.
  template <typename Interface>
  using Port = sc_core::sc_port<Interface, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  sc_core::sc_vector<Port<FlitReceiveIf>> in;
  sc_core::sc_vector<Port<FlitSendIf>> out;

  FlitModule(const sc_core::sc_module_name& name, int inputs, int outputs);

  // Called in cycle `now` for each flit that arrives from the channel at in[port], and for each credit that
  // arrives from the channel at out[port].
  virtual void receive_flit(int port, int vc, Flit flit, Cycles now) = 0;
  virtual void receive_credit(int port, int vc, Cycles now) = 0;
  // Processes all arrivals of cycle `now`. Called only if all calendar lines of the node fit into one word of
  // 64 bits. Bit i of `lines` stands for flits at in[i]. The next bits stand for credits: one bit per output
  // or, if virtual channels have separate lines, one bit per virtual channel of each output. To avoid virtual
  // calls, a module can override this function and call receive_arrivals() with its own class.
  virtual void arrive(std::uint64_t lines, Cycles now) { receive_arrivals(*this, lines, now); }
  // Runs cycle `now` after all arrivals of the cycle have been delivered. Must call set_next().
  virtual void step(Cycles now) = 0;

  // The next cycle in which the module must be stepped even if nothing arrives; kNever if there is none.
  Cycles next() const { return next_; }
  // The last cycle in which the module moved a flit.
  Cycles last_movement() const { return last_movement_; }

  // Called by the node that clocks this module: join() stores the node, and fetch_wires() looks up the wires
  // behind the ports at the end of elaboration. fetch_wires() throws ModelError if a port is not bound.
  void join(FlitNode& node) { node_ = &node; }
  void fetch_wires();
  // The number of lines that the module needs in the node's arrival calendar. If `waiting` is set, flits and
  // credits on short wires wait in the calendar, and the credits of each virtual channel have a separate
  // line.
  int lines(bool waiting) const;
  int columns() const;  // number of calendar columns for waiting flits
  void attach(ArrivalCalendar& calendar, int first_line, int first_column, Cycles& due, bool waiting);
  Wire& wire_in(int port) { return *in_wires_[static_cast<std::size_t>(port)]; }
  Wire& wire_out(int port) { return *out_wires_[static_cast<std::size_t>(port)]; }
  // The wires of all outputs, indexed by port; empty until fetch_wires() is called.
  const std::vector<Wire*>& wires_out() const { return out_wires_; }

  // Visits the cycles of the next step and of the last movement, for leaps (repeating.h).
  template <typename Visitor>
  void visit_clocking(Visitor& visitor) {
    visitor.time(next_);
    visitor.counter(last_movement_);
  }

 protected:
  // Passes the arrivals on `lines` to receive_flit() and receive_credit() of `module`. Every line must have
  // at least one arrival.
  template <typename Module>
  void receive_arrivals(Module& module, std::uint64_t lines, Cycles now) {
    for (std::uint64_t left = lines & flit_lines_; left != 0; left &= left - 1) {
      const int port = lowest_bit(left);
      const int column = columns_[static_cast<std::size_t>(port)];
      if (column >= 0) {
        const ArrivingFlits::Arrival arrival = arrivals_->flit(now, column);
        module.receive_flit(port, static_cast<int>(arrival.vc), ArrivingFlits::flit_of(arrival), now);
        continue;
      }
      Wire& wire = wire_in(port);
      do {
        const TimedFlit arrival = wire.pop_flit();
        module.receive_flit(port, arrival.stamp.vc(), arrival.flit, now);
      } while (wire.has_flit(now));
    }
    const std::uint64_t credits = lines & ~flit_lines_;
    if (credits == 0) return;
    for (std::uint64_t left = credits >> in_wires_.size(); left != 0; left &= left - 1) {
      const CreditLine line = credit_lines_[static_cast<std::size_t>(lowest_bit(left))];
      if (line.vc >= 0) {
        module.receive_credit(line.port, line.vc, now);
        continue;
      }
      Wire& wire = wire_out(line.port);
      do {
        module.receive_credit(line.port, wire.pop_credit(), now);
      } while (wire.has_credit(now));
    }
  }
  void set_next(Cycles at) { next_ = at; }
  // Requests a step in cycle `at`, which must not be in the past.
  void want(Cycles at) {
    if (at < next_) next_ = at;
  }
  // Like want(), but may be called while the node is not running, by another process or before the
  // simulation.
  void wake(Cycles at);
  void moved(Cycles now) { last_movement_ = now; }
  // Reports that the activity of this cycle is not periodic, so that leaps are delayed.
  void disturb();

 private:
  struct CreditLine {
    std::int16_t port;
    std::int16_t vc;  // -1 stands for all virtual channels
  };

  void start_of_simulation() override;

  Cycles next_ = kNever;
  Cycles last_movement_ = 0;
  FlitNode* node_ = nullptr;
  std::uint64_t flit_lines_ = 0;  // one bit for the line of each input
  std::vector<Wire*> in_wires_;
  std::vector<Wire*> out_wires_;
  ArrivalCalendar* arrivals_ = nullptr;
  std::vector<std::int16_t> columns_;  // [in]: -1 if flits do not wait in the calendar
  std::vector<CreditLine> credit_lines_;
};

}  // namespace coppice::fabric
