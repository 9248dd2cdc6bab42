#include "ni/memory.h"

#include <algorithm>

#include "fabric/sim_time.h"

namespace coppice::ni {

void MemoryModule::transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const auto address = static_cast<Bytes>(transaction.get_address());
  const auto bytes = static_cast<Bytes>(transaction.get_data_length());
  const bool write = transaction.is_write();
  const sc_core::sc_time start = sc_core::sc_time_stamp() + delay;
  delay += serve(write, address, bytes, start) - start;
  (write ? bytes_written_ : bytes_read_) += bytes;
  GradientData* data = nullptr;
  transaction.get_extension(data);
  if (!write && data != nullptr) data->payload = contents_->read(address, bytes);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

sc_core::sc_time Memory::serve(bool /*write*/, Bytes /*address*/, Bytes bytes,
                               const sc_core::sc_time& start) {
  const auto asked = static_cast<Femtoseconds>(start.value());
  if (bandwidth_.bytes_per_second == 0) return fabric::to_sc_time(asked + latency_);
  const Femtoseconds begins = std::max(asked, free_at_);
  const double seconds = static_cast<double>(bytes) / static_cast<double>(bandwidth_.bytes_per_second);
  free_at_ = begins + static_cast<Femtoseconds>(seconds * static_cast<double>(kFemtosecondsPerSecond));
  return fabric::to_sc_time(begins + latency_);
}

}  // namespace coppice::ni
