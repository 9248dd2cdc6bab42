#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cosim/ni_contexts_model.h"
#include "cosim/rtl_network_interface.h"
#include "cosim/rtl_terminal.h"
#include "ni/interface.h"
#include "ni/issue/table_context.h"
#include "ni/wake_scheduler.h"

namespace coppice::cosim {

// The capacity of a context for tables.
inline constexpr TableRoom kContextRoom{NiContextsLimits::kLines, NiContextsLimits::kFlows};

// The gradient buffers of an accelerator's collectives, placed one after another in the address space of the
// RTL.
class BufferMap final : public WordMemory {
 public:
  static constexpr Bytes kReach = Bytes{4} << NiLimits::kAddressBits;

  // Adds a buffer of `bytes` bytes; the buffer must outlive this object. Returns the number of its first
  // word. Values are stored only if the buffer is a ValueMemory.
  std::uint32_t add(ni::GradientMemory& buffer, Bytes bytes);
  FlitBits read(std::uint32_t address) override;
  void write(std::uint32_t address, unsigned lanes, const FlitBits& words) override;

 private:
  struct Place {
    std::uint32_t first;
    ni::ValueMemory* values;
  };
  const Place* find(std::uint32_t address) const;

  std::vector<Place> places_;  // in ascending order of addresses
  std::uint32_t next_ = 0;
};

// For programs: replaces ni::NetworkInterface with an rtl/ni/network_interface.v that has several contexts.
// Cycles and flits are the same. The RTL decides when entries issue and when collectives end. This class only
// keeps the records for observers and results, and checks the RTL against them.
//
// Table lines are loaded one per cycle from the cycle of load() on, starting with the first line of each
// port. The tables are committed in the cycle after the last line, and must be committed before they are
// started. Before the simulation, loading takes no time.
class RtlContextInterface final : public RtlTerminal,
                                  public ni::Interface,
                                  private ni::WakeScheduler::Sleeper {
 public:
  // `context.clock` must wake this module before other modules that act on the node, such as the accelerator.
  // All references must outlive this module.
  RtlContextInterface(const sc_core::sc_module_name& name, NodeId node, int ports,
                      const ni::NiContext& context, fabric::FlitContext& flits, FlitContents& contents);

  NodeId node() const override { return Terminal::node(); }
  int num_ports() const override { return ports_; }
  // Always throws, because the interface has no tables of its own.
  void start(Cycles at) override;
  bool started() const override { return false; }
  void load(const ni::ContextTables& tables, Cycles now) override;
  void unload(ni::ContextId id) override;
  void start_context(ni::ContextId id, Cycles at) override;
  Cycles cycle_of(const sc_core::sc_time& time) const override {
    return (static_cast<Femtoseconds>(time.value()) + shared().period - 1) / shared().period;
  }
  bool finished() const override;
  std::string describe_waiting(Cycles now) const override;
  PortView view(int port, Cycles now) const override;

  void receive_flit(int port, int vc, fabric::Flit flit, Cycles now) override;
  void receive_credit(int port, int vc, Cycles now) override;
  void step(Cycles now) override;

 private:
  static constexpr int kContexts = NiContextsModel::kContexts;
  struct Context {
    // The tables in the RTL, which remain there while the context is free.
    const schedule::NodeTables* tables = nullptr;
    std::unique_ptr<ni::TableContext> collective;  // nullptr if the context is free
    bool reached = false;                          // whether a flit of the collective has arrived
    bool ended = false;                            // whether the RTL has reported the end of the collective
    Cycles committed = -1;  // cycle in which the tables were committed; -1 if before the simulation
  };
  struct Line {
    int context;
    int port;
    std::uint32_t index;
    NiLine line;
  };

  void wake(Cycles now) override;
  void load_tables(int index, Cycles now);
  void put_tables(Cycles now);
  void issue(int port, int index, Cycles released, Cycles now);
  void finish(int index, Cycles now);
  // Returns the context of a collective; -1 if it has none.
  int find(ni::ContextId id) const;
  const topology::Route& route_of(const ni::MessageRecord& record) const override;
  void message_left(ni::MessageRecord& record, Cycles now) override;

  int ports_;
  BufferMap memory_;
  std::unique_ptr<NiContextsModel> model_;
  std::array<Context, kContexts> contexts_;
  std::vector<int> running_;  // contexts in the order in which they started
  // The table lines that are still to be loaded.
  std::deque<Line> lines_;
  std::vector<NiTableSize> sizes_;
  int loading_ = -1;  // context being loaded; -1 if there is none
  bool simulating_ = false;
  // The cycle of the requested starts that the RTL has not received yet; -1 if there are none.
  Cycles starts_ = -1;
};

}  // namespace coppice::cosim
