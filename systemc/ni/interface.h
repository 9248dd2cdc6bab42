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

// The registers through which software controls a network interface. Each register has 32 bits and is listed
// with its byte address.
struct Registers {
  static constexpr sc_dt::uint64 kControl = 0x0;  // writing 1 starts the tables selected by kContext
  // Bit 0: the tables have been started; bit 1: every entry has issued.
  static constexpr sc_dt::uint64 kStatus = 0x4;
  static constexpr sc_dt::uint64 kPorts = 0x8;  // number of ports; read only
  // The ContextId of the tables to start. After reset, the register is 0, which selects the interface's own
  // tables.
  static constexpr sc_dt::uint64 kContext = 0xc;
  static constexpr std::uint32_t kStart = 1;
};

// A network interface, written in SystemC or Verilog, as seen by the rest of the system.
class Interface {
 public:
  // The socket through which the accelerator accesses the registers; it may be unbound.
  tlm_utils::simple_target_socket_optional<Interface> registers{"registers"};
  // The socket through which the DMA engine reads gradients from memory (memory.h). If it is unbound, the
  // memory serves all ports at full rate with a latency of system.ni.dma_latency.
  tlm_utils::simple_initiator_socket_optional<Interface> memory{"memory"};

  Interface();
  virtual ~Interface() = default;

  // Starts the tables in cycle `at`, which must not be in the past. Throws ModelError if they are already
  // running.
  virtual void start(Cycles at) = 0;
  virtual bool started() const = 0;

  // Loads tables into a context in cycle `now`. start_context() or the registers start them. Messages that
  // arrive earlier are held until the context is started or, depending on system.ni.early_messages, until it
  // is loaded. Throws ModelError if the ID is in use or the interface has no contexts.
  virtual void load(const ContextTables& tables, Cycles now);
  // Removes tables that have been loaded but not started.
  virtual void unload(ContextId id);
  // Starts loaded tables in cycle `at`, which must not be in the past.
  virtual void start_context(ContextId id, Cycles at);
  // Called after loaded tables have completed at this interface and have been removed. This happens one cycle
  // after the last of their messages has left or the last arrival is in memory, whichever is later.
  std::function<void(ContextId id, Cycles now)> on_context_done;

  // The first cycle that begins at or after `time`.
  virtual Cycles cycle_of(const sc_core::sc_time& time) const = 0;

  virtual topology::NodeId node() const = 0;
  virtual int num_ports() const = 0;
  // Whether every entry of the interface's own tables has issued.
  virtual bool finished() const = 0;
  // Describes, for deadlock reports, the entry at the head of each unfinished port's table and what the entry
  // is waiting for.
  virtual std::string describe_waiting(Cycles now) const = 0;
  // Writes to memory the sums that still wait for an adder; a Verilog interface is clocked until no sum is
  // waiting. Call this after the last arrival and before reading memory.
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
  // Called when the memory revokes direct access.
  virtual void direct_access_ends() {}

  ContextId selected_ = kOwnTables;
};

}  // namespace coppice::ni
