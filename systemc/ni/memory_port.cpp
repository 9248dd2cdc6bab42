#include "ni/memory_port.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "fabric/sim_time.h"

namespace coppice::ni {
namespace {

// A memory access and its data. Each thread reuses one object, because constructing one takes longer than
// simulating the access, and a thread has at most one access in progress.
class MemoryTransaction {
 public:
  MemoryTransaction() { payload_.set_extension(&data_); }
  MemoryTransaction(const MemoryTransaction&) = delete;
  MemoryTransaction& operator=(const MemoryTransaction&) = delete;
  // Without this call, the payload would delete the data.
  ~MemoryTransaction() { payload_.clear_extension(&data_); }

  static MemoryTransaction& of_this_thread() {
    static thread_local MemoryTransaction transaction;
    return transaction;
  }

  GradientData& data() { return data_; }
  // Returns a reset payload for an access to `bytes` bytes at `address`.
  tlm::tlm_generic_payload& begin(tlm::tlm_command command, Bytes address, Bytes bytes) {
    constexpr Bytes kLongest = std::numeric_limits<unsigned>::max();
    const auto length = static_cast<unsigned>(std::min(bytes, kLongest));
    data_.bytes = bytes > kLongest ? bytes : 0;
    payload_.set_command(command);
    payload_.set_address(static_cast<sc_dt::uint64>(address));
    payload_.set_data_length(length);
    payload_.set_streaming_width(length);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload_;
  }

 private:
  tlm::tlm_generic_payload payload_;
  GradientData data_;
};

}  // namespace

void MemoryPort::ask_for_direct_access() {
  if (socket_.size() == 0) return;
  MemoryTransaction& asked = MemoryTransaction::of_this_thread();
  asked.data().direct = nullptr;
  tlm::tlm_dmi access;
  if (!socket_->get_direct_mem_ptr(asked.begin(tlm::TLM_READ_COMMAND, 0, 0), access)) return;
  direct_ = asked.data().direct;
  direct_read_latency_ = cycle_of(access.get_read_latency());
}

Cycles MemoryPort::read_by_transaction(const ContextTables& tables, MessageRecord& message,
                                       Femtoseconds flit_time, Cycles now) {
  const TableEntry& entry = *message.entry;
  if (socket_.size() == 0)
    return dma_.request(*tables.contents, entry.address, entry.bytes, message.payload, now);
  GradientData& data = MemoryTransaction::of_this_thread().data();
  data.stream = checked_time(message.flits - 1, flit_time);
  data.accumulate = false;
  const Cycles ready = access(tlm::TLM_READ_COMMAND, tables.base, entry, now);
  std::swap(message.payload, data.payload);
  return ready;
}

Cycles MemoryPort::write_by_transaction(const ContextTables& tables, const MessageRecord& arrival,
                                        Cycles now) {
  if (socket_.size() == 0) return now;
  GradientData& data = MemoryTransaction::of_this_thread().data();
  data.stream = arrival.serialization * period_;
  data.accumulate = arrival.entry->op == schedule::Op::kReduce;
  return access(tlm::TLM_WRITE_COMMAND, tables.base, *arrival.entry, now);
}

Cycles MemoryPort::access(tlm::tlm_command command, Bytes base, const TableEntry& entry, Cycles now) {
  tlm::tlm_generic_payload& transaction =
      MemoryTransaction::of_this_thread().begin(command, base + entry.address, entry.bytes);
  sc_core::sc_time delay = fabric::to_sc_time(now * period_) - sc_core::sc_time_stamp();
  socket_->b_transport(transaction, delay);
  if (!transaction.is_response_ok()) {
    throw ModelError(fmt::format("{}: the memory refused access to {} at address {}: {}", socket_.name(),
                                 format_bytes(entry.bytes), entry.address,
                                 transaction.get_response_string()));
  }
  return cycle_of(sc_core::sc_time_stamp() + delay);
}

}  // namespace coppice::ni
