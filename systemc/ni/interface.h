#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>

#include "ni/issue/command_decoder.h"
#include "ni/issue/table_context.h"
#include "topology/topology.h"

namespace coppice::ni {

// The registers of a network interface that software sees: 32 bits each, by byte address.
struct Registers {
  static constexpr sc_dt::uint64 kControl = 0x0;  // writing 1 starts the tables that kContext names
  static constexpr sc_dt::uint64 kStatus = 0x4;   // bit 0: started, bit 1: every entry has issued
  static constexpr sc_dt::uint64 kPorts = 0x8;    // how many there are; read only
  static constexpr sc_dt::uint64 kContext = 0xc;  // ContextId of the tables to start; 0, its own, at reset
  static constexpr std::uint32_t kStart = 1;
};

// The side that the rest of a system sees of a network interface, in SystemC or in Verilog.
class Interface {
 public:
  // Registers, for the accelerator; bound or not.
  tlm_utils::simple_target_socket_optional<Interface> registers{"registers"};
  // The memory that the DMA engine reads gradients from (memory.h); not bound: one that keeps up with all
  // ports, after system.ni.dma_latency.
  tlm_utils::simple_initiator_socket_optional<Interface> memory{"memory"};

  Interface();
  virtual ~Interface() = default;

  // Runs the tables from cycle `at` on, which is not over. Throws ModelError if they run already.
  virtual void start(Cycles at) = 0;
  virtual bool started() const = 0;

  // Loads tables into a context in cycle `now`, to be started by start_context() or by the registers.
  // Messages that come before are held, by system.ni.early_messages until then or until it is loaded. Throws
  // ModelError for an id that is in use, and where there are no contexts.
  virtual void load(const ContextTables& tables, Cycles now);
  // Forgets tables that have not been started.
  virtual void unload(ContextId id);
  // Runs loaded tables from cycle `at` on, which is not over.
  virtual void start_context(ContextId id, Cycles at);
  // Called when loaded tables are done here, in the cycle after that in which the last of their messages has
  // left, or in which the last is in memory: they are forgotten.
  std::function<void(ContextId id, Cycles now)> on_context_done;

  // The first cycle that begins at `time` or later.
  virtual Cycles cycle_of(const sc_core::sc_time& time) const = 0;

  virtual topology::NodeId node() const = 0;
  virtual int num_ports() const = 0;
  // Every entry has issued.
  virtual bool finished() const = 0;
  // Per unfinished port: the entry at its head and what it waits for. For deadlock reports.
  virtual std::string describe_waiting(Cycles now) const = 0;
  // For when all has arrived, before memory is read: writes what still waits for an adder. Verilog is clocked
  // until nothing does.
  virtual void settle() {}

  // The state that an observer sees of a port in cycle `now`.
  struct PortView {
    DecoderState state;
    std::int32_t timestep;
    Cycles lockstep;
    std::int64_t issued;
  };
  virtual PortView view(int port, Cycles now) const = 0;

 private:
  void access_registers(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  void take_back_direct_access(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) { direct_access_ends(); }
  // The memory takes back the direct access that it has granted.
  virtual void direct_access_ends() {}

  ContextId selected_ = kOwnTables;
};

}  // namespace coppice::ni
