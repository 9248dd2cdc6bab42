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
// bytes (GradientMemory), and the time over which the network accepts or delivers it. Reads fill in the data.
// A granted request for direct access (get_direct_mem_ptr) fills in the memory instead of a pointer to bytes.
struct GradientData final : tlm::tlm_extension<GradientData> {
  Payload payload;
  Bytes bytes = 0;          // access size if it exceeds the transaction's length field; otherwise 0
  Femtoseconds stream = 0;  // time from the first flit to the last
  bool accumulate = false;  // for a write that adds: the old value is read first
  MemoryModule* direct = nullptr;

  tlm::tlm_extension_base* clone() const override { return new GradientData(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const GradientData&>(other);
  }
};

// A memory access.
struct MemoryAccess {
  bool write = false;
  bool dma = false;         // by the network interface; otherwise by the arrays
  bool accumulate = false;  // as in GradientData
  Bytes address = 0;
  Bytes bytes = 0;
  Femtoseconds start = 0;  // time of the request
  // As in GradientData; a write by the network interface began to arrive this long before `start`.
  Femtoseconds stream = 0;
};

// The memory shared by an accelerator's network interface and array: a TLM-2.0 target. A GradientMemory
// stores the data; this module determines the time of accesses. Derive from it, or bind any target with the
// same behaviour: it adds the access time to the delay of b_transport() and, for reads, fills in the
// GradientData or, if there is a data pointer, the bytes.
class MemoryModule : public sc_core::sc_module, public StatisticsOwner {
 public:
  // Both sockets reach the same data: `dma` serves the network interface's DMA engine, and `array` the
  // accelerator's array.
  tlm_utils::simple_target_socket_optional<MemoryModule> dma{"dma"};
  tlm_utils::simple_target_socket_optional<MemoryModule> array{"array"};

  // `contents` must outlive this module.
  MemoryModule(const sc_core::sc_module_name& name, GradientMemory& contents)
      : sc_module(name), contents_(&contents) {
    dma.register_b_transport(this, &MemoryModule::transport_dma);
    dma.register_get_direct_mem_ptr(this, &MemoryModule::grant_direct_access);
    array.register_b_transport(this, &MemoryModule::transport_array);
  }

  // Accesses by the network interface without transactions, for initiators with direct access: a read takes
  // the read latency of tlm_dmi, a write takes no time.
  void read_directly(Bytes address, Bytes bytes, Payload& into) {
    count(false, false, true, bytes);
    contents_->read(address, bytes, into);
  }
  void write_directly(Bytes bytes, bool accumulate) { count(true, accumulate, true, bytes); }
  // Counts data that the network interface has read and written directly on contents().
  void count_direct(Bytes read, Bytes written) {
    bytes_read_ += read;
    bytes_written_ += written;
    dma_bytes_ += read + written;
  }

  // Totals over both sockets.
  Bytes bytes_read() const { return bytes_read_; }
  Bytes bytes_written() const { return bytes_written_; }
  // Total of the network interface's accesses.
  Bytes dma_bytes() const { return dma_bytes_; }
  void read_statistics(const Reader& read) const override;

 protected:
  // Returns the time when an access is done, no earlier than its request. For a network-interface read, this
  // is the time of the first flit, chosen such that the other flits can follow without gaps; otherwise, the
  // time of the last data.
  virtual Femtoseconds serve(const MemoryAccess& access) = 0;
  // The latency of network-interface reads, if all reads have the same latency and writes take no time;
  // direct access is then granted.
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

// A plain memory that serves one access at a time, in request order. `pace` determines the whole number of
// cycles of each access; a memory of unlimited bandwidth serves all accesses simultaneously.
// Network-interface reads complete `dma_latency` later; the arrays' loads are requested ahead of time and
// have no latency.
class Memory final : public MemoryModule {
 public:
  Memory(const sc_core::sc_module_name& name, GradientMemory& contents, Femtoseconds dma_latency,
         const MemoryPace& pace = {})
      : MemoryModule(name, contents), dma_latency_(dma_latency), pace_(pace) {}

  // The total time in which it moved data.
  Femtoseconds busy() const { return busy_; }
  void read_statistics(const Reader& read) const override;

 protected:
  Femtoseconds serve(const MemoryAccess& access) override;
  // Has a value only for unlimited memory.
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
