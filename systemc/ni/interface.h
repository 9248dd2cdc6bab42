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

// The registers of a network interface that software accesses: 32 bits each, by byte address.
struct Registers {
  static constexpr sc_dt::uint64 kControl = 0x0;  // writing 1 starts the tables selected by kContext
  static constexpr sc_dt::uint64 kStatus = 0x4;   // bit 0: started, bit 1: every entry has issued
  static constexpr sc_dt::uint64 kPorts = 0x8;    // number of ports; read only
  // ContextId of the tables to start; 0 after reset: the interface's own tables.
  static constexpr sc_dt::uint64 kContext = 0xc;
  static constexpr std::uint32_t kStart = 1;
};

// A network interface, in SystemC or Verilog, as seen by the rest of a system.
class Interface {
 public:
  // Register access for the accelerator; may be unbound.
  tlm_utils::simple_target_socket_optional<Interface> registers{"registers"};
  // The memory from which the DMA engine reads gradients (memory.h). If unbound, the memory serves all ports
  // at full rate, with latency system.ni.dma_latency.
  tlm_utils::simple_initiator_socket_optional<Interface> memory{"memory"};

  Interface();
  virtual ~Interface() = default;

  // Runs the tables from cycle `at`, which must not be in the past. Throws ModelError if they are already
  // running.
  virtual void start(Cycles at) = 0;
  virtual bool started() const = 0;

  // Loads tables into a context in cycle `now`; start_context() or the registers start them. Messages that
  // arrive earlier are held until the context starts or (by system.ni.early_messages) until it is loaded.
  // Throws ModelError if the id is in use or the interface has no contexts.
  virtual void load(const ContextTables& tables, Cycles now);
  // Removes tables that have not been started.
  virtual void unload(ContextId id);
  // Runs loaded tables from cycle `at`, which must not be in the past.
  virtual void start_context(ContextId id, Cycles at);
  // Called after loaded tables have completed here and have been removed: in the cycle after the last of
  // their messages has left or the last arrival is in memory, whichever is later.
  std::function<void(ContextId id, Cycles now)> on_context_done;

  // The first cycle that begins at or after `time`.
  virtual Cycles cycle_of(const sc_core::sc_time& time) const = 0;

  virtual topology::NodeId node() const = 0;
  virtual int num_ports() const = 0;
  // Whether every entry has issued.
  virtual bool finished() const = 0;
  // Describes, for each unfinished port, the entry at the head of its table and what it is waiting for; used
  // in deadlock reports.
  virtual std::string describe_waiting(Cycles now) const = 0;
  // Call this after the last arrival and before reading memory. Writes the sums that still wait for an adder;
  // a Verilog interface is clocked until none is waiting.
  virtual void settle() {}

  // The state of a port in cycle `now`, for observers.
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
  // Called when the memory revokes the direct access that it granted.
  virtual void direct_access_ends() {}

  ContextId selected_ = kOwnTables;
};

}  // namespace coppice::ni
