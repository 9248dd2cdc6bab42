#pragma once

#include <systemc>
#include <tlm>

#include "base/units.h"
#include "ni/issue/table_context.h"
#include "ni/memory/dma_engine.h"
#include "ni/memory/memory.h"
#include "ni/memory/message_record.h"

namespace coppice::ni {

// A network interface's access to its memory. The access is direct if the memory allows this; otherwise,
// every message is a transaction. Without a memory module, the DMA engine reads the gradient buffer itself.
class MemoryPort {
 public:
  using Socket =
      tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  // `period` is the clock period of the interface. `socket` must outlive this object, whether or not it is
  // bound.
  MemoryPort(Socket& socket, Femtoseconds period, Cycles dma_latency)
      : socket_(socket), period_(period), dma_(dma_latency) {}

  // Requests direct access, which the memory may revoke later. Call this once the sockets are bound.
  void ask_for_direct_access();
  void direct_access_ends() { direct_ = nullptr; }

  // Reads the data of a message of `tables` in cycle `now`. The message's flits leave at intervals of
  // `flit_time`. Returns the cycle of the first flit. Throws ModelError if the memory rejects the access.
  Cycles read(const ContextTables& tables, MessageRecord& message, Femtoseconds flit_time, Cycles now) {
    if (direct_ == nullptr) return read_by_transaction(tables, message, flit_time, now);
    const TableEntry& entry = *message.entry;
    direct_->read_directly(tables.base + entry.address, entry.bytes, message.payload);
    return now + direct_read_latency_;
  }

  // Simulates writing the data of an arrived message and returns the cycle in which the data is in memory.
  // The values themselves are written elsewhere (flit by flit if the fabric moves flits). Throws ModelError
  // if the memory rejects the access.
  Cycles write(const ContextTables& tables, const MessageRecord& arrival, Cycles now) {
    if (direct_ == nullptr) return write_by_transaction(tables, arrival, now);
    direct_->write_directly(arrival.entry->bytes, arrival.entry->op == schedule::Op::kReduce);
    return now;
  }

 private:
  Cycles read_by_transaction(const ContextTables& tables, MessageRecord& message, Femtoseconds flit_time,
                             Cycles now);
  Cycles write_by_transaction(const ContextTables& tables, const MessageRecord& arrival, Cycles now);
  Cycles access(tlm::tlm_command command, Bytes base, const TableEntry& entry, Cycles now);
  Cycles cycle_of(const sc_core::sc_time& time) const {
    return (static_cast<Femtoseconds>(time.value()) + period_ - 1) / period_;
  }

  Socket& socket_;
  Femtoseconds period_;
  DmaEngine dma_;
  MemoryModule* direct_ = nullptr;  // the memory, if it grants direct access
  Cycles direct_read_latency_ = 0;
};

}  // namespace coppice::ni
