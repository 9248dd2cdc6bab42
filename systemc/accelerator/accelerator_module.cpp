#include "accelerator/accelerator_module.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ni/interface.h"

namespace coppice::accelerator {

void AcceleratorModule::access(tlm::tlm_command command, sc_dt::uint64 address, std::uint32_t& word,
                               const sc_core::sc_time& ahead) {
  transaction_.set_command(command);
  transaction_.set_address(address);
  transaction_.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  transaction_.set_data_length(sizeof word);
  transaction_.set_streaming_width(sizeof word);
  transaction_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = ahead;
  registers->b_transport(transaction_, delay);
  if (transaction_.is_response_ok()) return;
  throw ModelError(fmt::format("{}: the network interface refused access to register {:#x}: {}", name(),
                               address, transaction_.get_response_string()));
}

void AcceleratorModule::write_register(sc_dt::uint64 address, std::uint32_t value,
                                       const sc_core::sc_time& ahead) {
  access(tlm::TLM_WRITE_COMMAND, address, value, ahead);
}

std::uint32_t AcceleratorModule::read_register(sc_dt::uint64 address) {
  std::uint32_t word = 0;
  access(tlm::TLM_READ_COMMAND, address, word, sc_core::SC_ZERO_TIME);
  return word;
}

void CollectiveStarter::start_of_simulation() {
  write_register(ni::Registers::kControl, ni::Registers::kStart, launch_);
}

}  // namespace coppice::accelerator
