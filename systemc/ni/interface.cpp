#include "ni/interface.h"

#include <cstring>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::ni {

Interface::Interface() {
  registers.register_b_transport(this, &Interface::access_registers);
  memory.register_invalidate_direct_mem_ptr(this, &Interface::take_back_direct_access);
}

void Interface::load(const ContextTables& tables, Cycles /*now*/) {
  throw ModelError(fmt::format("network interface {} has no context for tables {}", node(), tables.id));
}

void Interface::unload(ContextId id) {
  throw ModelError(fmt::format("network interface {} has no tables {}", node(), id));
}

void Interface::start_context(ContextId id, Cycles at) {
  if (id != kOwnTables) throw ModelError(fmt::format("network interface {} has no tables {}", node(), id));
  start(at);
}

// The register access itself takes no time; `delay` already contains the time until the access arrives.
void Interface::access_registers(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  std::uint32_t word = 0;
  if (transaction.get_data_length() != sizeof word || transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const sc_dt::uint64 address = transaction.get_address();
  if (transaction.is_write() && address == Registers::kControl) {
    std::memcpy(&word, transaction.get_data_ptr(), sizeof word);
    if ((word & Registers::kStart) != 0) start_context(selected_, cycle_of(sc_core::sc_time_stamp() + delay));
  } else if (transaction.is_write() && address == Registers::kContext) {
    std::memcpy(&selected_, transaction.get_data_ptr(), sizeof selected_);
  } else if (transaction.is_read() && (address == Registers::kStatus || address == Registers::kPorts)) {
    word = address == Registers::kPorts ? static_cast<std::uint32_t>(num_ports())
                                        : (started() ? 1U : 0U) | (started() && finished() ? 2U : 0U);
    std::memcpy(transaction.get_data_ptr(), &word, sizeof word);
  } else {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace coppice::ni
