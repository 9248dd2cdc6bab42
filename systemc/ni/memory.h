#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "base/units.h"
#include "ni/gradient_memory.h"

namespace coppice::ni {

// Goes with a transaction of a gradient buffer: the data in the representation of what is checked, which need
// not be bytes (GradientMemory). A read fills it in.
struct GradientData final : tlm::tlm_extension<GradientData> {
  Payload payload;

  tlm::tlm_extension_base* clone() const override { return new GradientData(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const GradientData&>(other);
  }
};

// The memory of an accelerator as its network interface and its array see it: a TLM-2.0 target. Data are kept
// by a GradientMemory; the module says how long accesses take. Derive from it, or bind any target that
// answers the same: adds its time to the delay of b_transport() and fills a read's GradientData, or the bytes
// at the data pointer where there is one.
class MemoryModule : public sc_core::sc_module {
 public:
  // Both reach the same data: for the network interface's DMA engine, and for the accelerator's array.
  tlm_utils::simple_target_socket_optional<MemoryModule> dma{"dma"};
  tlm_utils::simple_target_socket_optional<MemoryModule> array{"array"};

  // `contents` outlives it.
  MemoryModule(const sc_core::sc_module_name& name, GradientMemory& contents)
      : sc_module(name), contents_(&contents) {
    dma.register_b_transport(this, &MemoryModule::transport);
    array.register_b_transport(this, &MemoryModule::transport);
  }

  Bytes bytes_read() const { return bytes_read_; }
  Bytes bytes_written() const { return bytes_written_; }

 protected:
  // When an access that is asked for at `start` is done: the first of its data for a read.
  virtual sc_core::sc_time serve(bool write, Bytes address, Bytes bytes, const sc_core::sc_time& start) = 0;

 private:
  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  GradientMemory* contents_;
  Bytes bytes_read_ = 0;
  Bytes bytes_written_ = 0;
};

// A plain memory: every access takes `latency` until its first data; where it has a bandwidth, accesses take
// turns.
class Memory final : public MemoryModule {
 public:
  // Bandwidth in bytes per second; 0: it keeps up with all that is asked of it.
  Memory(const sc_core::sc_module_name& name, GradientMemory& contents, Femtoseconds latency,
         Bandwidth bandwidth = {})
      : MemoryModule(name, contents), latency_(latency), bandwidth_(bandwidth) {}

 protected:
  sc_core::sc_time serve(bool write, Bytes address, Bytes bytes, const sc_core::sc_time& start) override;

 private:
  Femtoseconds latency_;
  Bandwidth bandwidth_;
  Femtoseconds free_at_ = 0;
};

}  // namespace coppice::ni
