#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>

#include "base/memory_pace.h"
#include "base/statistics.h"
#include "base/units.h"
#include "ni/memory/gradient_memory.h"

namespace coppice::ni {

class MemoryModule;

// The payload of a gradient-buffer transaction: data in the representation that is checked, which need not be
// bytes (GradientMemory), and the time over which the network accepts or delivers them. A read fills in the
// data. A granted request for direct access (get_direct_mem_ptr) fills in the memory instead of a pointer to
// bytes.
struct GradientData final : tlm::tlm_extension<GradientData> {
  Payload payload;
  Bytes bytes = 0;          // of the access, if the transaction's length cannot hold them; 0: it does
  Femtoseconds stream = 0;  // from the first flit to the last
  bool accumulate = false;  // a write that adds: what is there is read first
  MemoryModule* direct = nullptr;

  tlm::tlm_extension_base* clone() const override { return new GradientData(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const GradientData&>(other);
  }
};

// A memory access.
struct MemoryAccess {
  bool write = false;
  bool dma = false;         // by the network interface, else by the arrays
  bool accumulate = false;  // GradientData's
  Bytes address = 0;
  Bytes bytes = 0;
  Femtoseconds start = 0;   // when it is asked for
  Femtoseconds stream = 0;  // GradientData's; a write of the network interface began to come so long before
};

// The memory of an accelerator for its network interface and its array: a TLM-2.0 target. A GradientMemory
// stores the data; the module determines the time of accesses. Derive from it, or bind any target that
// behaves alike: it adds its time to the delay of b_transport() and fills a read's GradientData, or the bytes
// at the data pointer if there is one.
class MemoryModule : public sc_core::sc_module, public StatisticsOwner {
 public:
  // Both reach the same data: for the network interface's DMA engine, and for the accelerator's array.
  tlm_utils::simple_target_socket_optional<MemoryModule> dma{"dma"};
  tlm_utils::simple_target_socket_optional<MemoryModule> array{"array"};

  // `contents` outlives it.
  MemoryModule(const sc_core::sc_module_name& name, GradientMemory& contents)
      : sc_module(name), contents_(&contents) {
    dma.register_b_transport(this, &MemoryModule::transport_dma);
    dma.register_get_direct_mem_ptr(this, &MemoryModule::grant_direct_access);
    array.register_b_transport(this, &MemoryModule::transport_array);
  }

  // The same accesses of the network interface without a transaction each, for who was granted it: a read is
  // done after tlm_dmi's read latency, a write at once.
  void read_directly(Bytes address, Bytes bytes, Payload& into) {
    count(false, false, true, bytes);
    contents_->read(address, bytes, into);
  }
  void write_directly(Bytes bytes, bool accumulate) { count(true, accumulate, true, bytes); }

  // Totals of both sockets.
  Bytes bytes_read() const { return bytes_read_; }
  Bytes bytes_written() const { return bytes_written_; }
  // The total of the network interface.
  Bytes dma_bytes() const { return dma_bytes_; }
  void read_statistics(const Reader& read) const override;

 protected:
  // When an access is done, no earlier than requested: for a read of the network interface the time of its
  // first flit such that the others follow at its pace, otherwise that of its last data.
  virtual Femtoseconds serve(const MemoryAccess& access) = 0;
  // The time of a network-interface read, if all reads take equally long and writes take no time: direct
  // access is then granted.
  virtual std::optional<Femtoseconds> direct_read_latency() const { return std::nullopt; }

 private:
  void transport_dma(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    transport(transaction, delay, true);
  }
  void transport_array(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    transport(transaction, delay, false);
  }
  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay, bool network);
  bool grant_direct_access(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& access);
  void count(bool write, bool accumulate, bool network, Bytes bytes) {
    if (write) bytes_written_ += bytes;
    if (!write || accumulate) bytes_read_ += bytes;
    if (network) dma_bytes_ += accumulate ? 2 * bytes : bytes;
  }

  GradientMemory* contents_;
  Bytes bytes_read_ = 0;
  Bytes bytes_written_ = 0;
  Bytes dma_bytes_ = 0;
};

// A plain memory that serves one access at a time, in the order in which they are asked for, each for whole
// cycles of `pace`; an unlimited one serves all at once. What the network interface reads comes `dma_latency`
// later; the arrays' loads are requested ahead and have no latency.
class Memory final : public MemoryModule {
 public:
  Memory(const sc_core::sc_module_name& name, GradientMemory& contents, Femtoseconds dma_latency,
         const MemoryPace& pace = {})
      : MemoryModule(name, contents), dma_latency_(dma_latency), pace_(pace) {}

  // How long it has moved data so far.
  Femtoseconds busy() const { return busy_; }
  void read_statistics(const Reader& read) const override;

 protected:
  Femtoseconds serve(const MemoryAccess& access) override;
  // Only for unlimited memory.
  std::optional<Femtoseconds> direct_read_latency() const override {
    return pace_.bandwidth ? std::nullopt : std::optional(dma_latency_);
  }

 private:
  Femtoseconds dma_latency_;
  MemoryPace pace_;
  Femtoseconds free_at_ = 0;
  Femtoseconds busy_ = 0;
};

}  // namespace coppice::ni
