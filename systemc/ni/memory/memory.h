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

// The payload of a gradient-buffer transaction. It consists of the data, in the checked representation, which
// need not be bytes (GradientMemory), and the time during which the network accepts or delivers the data. A
// read fills in the data. If direct access is granted (get_direct_mem_ptr), `memory` is filled in instead of
// a pointer to bytes.
struct GradientData final : tlm::tlm_extension<GradientData> {
  Payload payload;
  Bytes bytes = 0;          // access size if it exceeds the transaction's length field; otherwise 0
  Femtoseconds stream = 0;  // time from the first flit to the last
  bool accumulate = false;  // whether a write adds to the old value, which must then be read first
  MemoryModule* direct = nullptr;

  tlm::tlm_extension_base* clone() const override { return new GradientData(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const GradientData&>(other);
  }
};

// A memory access, as passed to serve().
struct MemoryAccess {
  bool write = false;
  bool dma = false;         // whether the network interface accesses the memory; otherwise, the arrays do
  bool accumulate = false;  // the same as in GradientData
  Bytes address = 0;
  Bytes bytes = 0;
  Femtoseconds start = 0;  // time at which the access is requested
  // The same as in GradientData. If the network interface writes, the data began to arrive this long before
  // `start`.
  Femtoseconds stream = 0;
};

// The memory that an accelerator's network interface and array share, as a TLM-2.0 target. A GradientMemory
// stores the data; this module determines how long accesses take. To model another memory, derive from this
// class or bind any target with the same behaviour: it adds the access time to the delay of b_transport()
// and, for reads, fills in the GradientData or, if there is a data pointer, the bytes.
class MemoryModule : public sc_core::sc_module, public StatisticsOwner {
 public:
  // Both sockets access the same data. `dma` serves the DMA engine of the network interface; `array` serves
  // the array of the accelerator.
  tlm_utils::simple_target_socket_optional<MemoryModule> dma{"dma"};
  tlm_utils::simple_target_socket_optional<MemoryModule> array{"array"};

  // Bytes moved since the start of the run.
  struct Moved {
    Bytes read = 0;     // through both sockets
    Bytes written = 0;  // through both sockets
    Bytes dma = 0;      // read and written by the network interface
    bool operator==(const Moved&) const = default;
  };

  // `contents` must outlive this module.
  MemoryModule(const sc_core::sc_module_name& name, GradientMemory& contents)
      : sc_module(name), contents_(&contents) {
    dma.register_b_transport(this, &MemoryModule::transport_dma);
    dma.register_get_direct_mem_ptr(this, &MemoryModule::grant_direct_access);
    array.register_b_transport(this, &MemoryModule::transport_array);
  }

  // Accesses by the network interface without transactions, for initiators with direct access. A read takes
  // the read latency of tlm_dmi; a write takes no time.
  void read_directly(Bytes address, Bytes bytes, Payload& into) {
    count(false, false, true, bytes);
    contents_->read(address, bytes, into);
  }
  void write_directly(Bytes bytes, bool accumulate) { count(true, accumulate, true, bytes); }

  const Moved& moved() const { return moved_; }
  void read_statistics(const Reader& read) const override { read_statistics(moved_, read); }
  // Reads the statistics of a memory that moved `moved` and otherwise equals this one.
  virtual void read_statistics(const Moved& moved, const Reader& read) const;

 protected:
  // Returns the time when an access is complete, which is no earlier than its request. For a read by the
  // network interface, this is the time of the first flit, chosen such that the following flits can leave
  // without gaps. For all other accesses, it is the time of the last data.
  virtual Femtoseconds serve(const MemoryAccess& access) = 0;
  // The latency of reads by the network interface, if all of these reads have the same latency and writes
  // take no time. Direct access is granted only then.
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
    if (write) moved_.written += bytes;
    if (!write || accumulate) moved_.read += bytes;
    if (network) moved_.dma += accumulate ? 2 * bytes : bytes;
  }

  GradientMemory* contents_;
  Moved moved_;
};

// A memory that serves one access at a time, in the order of requests. `pace` determines the duration of each
// access in whole cycles. A memory with unlimited bandwidth serves all accesses simultaneously. Reads by the
// network interface take `dma_latency` longer. Loads by the arrays are requested ahead of time and
// therefore have no latency.
class Memory final : public MemoryModule {
 public:
  Memory(const sc_core::sc_module_name& name, GradientMemory& contents, Femtoseconds dma_latency,
         const MemoryPace& pace = {})
      : MemoryModule(name, contents), dma_latency_(dma_latency), pace_(pace) {}

  // The total time during which the memory moved data.
  Femtoseconds busy() const { return busy_; }
  using MemoryModule::read_statistics;
  void read_statistics(const Moved& moved, const Reader& read) const override;

 protected:
  Femtoseconds serve(const MemoryAccess& access) override;
  // Returns a value only if the bandwidth is unlimited.
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
