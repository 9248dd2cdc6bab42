#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

namespace coppice::ni {
class Interface;
class WakeScheduler;
}  // namespace coppice::ni

namespace coppice::accelerator {

// The `accelerator` of a node. To use your own accelerator, derive a class from this one and create it in
// system::MachineParts::make_accelerator; the machine binds both sockets.
//
// After its computation, the accelerator starts the tables of its network interface with
// write_register(ni::Registers::kControl, kStart). It does so in its own process or at the start of
// simulation, at the kernel's current time. Therefore, the machine runs its nodes cycle by cycle in kernel
// time unless all accelerators are CollectiveStarter modules.
class AcceleratorModule : public sc_core::sc_module {
 public:
  // Accesses the registers of the network interface (ni/interface.h).
  tlm_utils::simple_initiator_socket<AcceleratorModule> registers{"registers"};
  // Accesses the memory that is shared with the DMA engine of the network interface (ni/memory/memory.h).
  tlm_utils::simple_initiator_socket<AcceleratorModule> memory{"memory"};

  explicit AcceleratorModule(const sc_core::sc_module_name& name) : sc_module(name) {}

  // Whether the module acts only at the start of simulation, so that nodes may run ahead of the kernel's
  // time.
  virtual bool starts_at_once() const { return false; }
  // Whether the module acts in cycles of its node's time, which may be ahead of the kernel's time. If so,
  // attach() is called before the simulation with the module's alarm and its network interface.
  virtual bool wants_alarm() const { return false; }
  virtual void attach(ni::WakeScheduler& /*alarm*/, ni::Interface& /*interface*/) {}

 protected:
  // Lets a module inside this one (for example, a LayerEngine) access `memory` through its own socket.
  void share_memory(tlm::tlm_base_initiator_socket<>& inside) {
    inside.get_base_port().bind(memory.get_base_port());
  }
  // Writes a 32-bit register. The access happens at the kernel's current time plus `ahead`, and takes no
  // time. Throws ModelError if the network interface rejects it.
  void write_register(sc_dt::uint64 address, std::uint32_t value,
                      const sc_core::sc_time& ahead = sc_core::SC_ZERO_TIME);
  std::uint32_t read_register(sc_dt::uint64 address);

 private:
  void access(tlm::tlm_command command, sc_dt::uint64 address, std::uint32_t& word,
              const sc_core::sc_time& ahead);

  // Reused, since creating a transaction costs more than the access.
  tlm::tlm_generic_payload transaction_;
};

// The accelerator of a run that consists of one collective. It requests the collective in cycle 0, and its
// network interface starts the collective after the time `launch` (system.ni.launch).
class CollectiveStarter final : public AcceleratorModule {
 public:
  explicit CollectiveStarter(const sc_core::sc_module_name& name,
                             const sc_core::sc_time& launch = sc_core::SC_ZERO_TIME)
      : AcceleratorModule(name), launch_(launch) {}
  bool starts_at_once() const override { return true; }

 private:
  void start_of_simulation() override;

  sc_core::sc_time launch_;
};

}  // namespace coppice::accelerator
