#include "ni/memory/memory.h"

#include <algorithm>

#include "fabric/sim_time.h"

namespace coppice::ni {

void MemoryModule::transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay, bool network) {
  GradientData* data = nullptr;
  transaction.get_extension(data);
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  const MemoryAccess access{
      .write = transaction.is_write(),
      .dma = network,
      .accumulate = data != nullptr && data->accumulate,
      .address = static_cast<Bytes>(transaction.get_address()),
      .bytes = data != nullptr && data->bytes > 0 ? data->bytes
                                                  : static_cast<Bytes>(transaction.get_data_length()),
      .start = static_cast<Femtoseconds>((now + delay).value()),
      .stream = data != nullptr ? data->stream : 0,
  };
  delay = fabric::to_sc_time(serve(access)) - now;
  count(access.write, access.accumulate, network, access.bytes);
  if (!access.write && data != nullptr) contents_->read(access.address, access.bytes, data->payload);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool MemoryModule::grant_direct_access(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& access) {
  access.init();
  GradientData* data = nullptr;
  transaction.get_extension(data);
  const std::optional<Femtoseconds> latency = direct_read_latency();
  if (data == nullptr || !latency) return false;
  data->direct = this;
  access.allow_read_write();
  access.set_read_latency(fabric::to_sc_time(*latency));
  return true;
}

// The last data of a read must be available when the last flit leaves. The first data of a write arrived with
// the first flit.
Femtoseconds Memory::serve(const MemoryAccess& access) {
  const bool dma_read = access.dma && !access.write;
  const Femtoseconds latency = dma_read ? dma_latency_ : 0;
  if (!pace_.bandwidth) return access.start + latency;
  const Bytes moved = access.accumulate ? 2 * access.bytes : access.bytes;
  const Femtoseconds duration = pace_.cycles(moved) * pace_.clock.period();
  const Femtoseconds asked = access.start - (access.dma && access.write ? access.stream : 0);
  const Femtoseconds begins = std::max(asked, free_at_);
  free_at_ = begins + duration;
  busy_ += duration;
  if (dma_read) return latency + std::max(begins, free_at_ - access.stream);
  return std::max(access.start, free_at_);
}

void MemoryModule::read_statistics(const Moved& moved, const Reader& read) const {
  read({"memory", "bytes_read", "B", "Data read by the network interface and the arrays."},
       static_cast<double>(moved.read));
  read({"memory", "bytes_written", "B", "Data written by the network interface and the arrays."},
       static_cast<double>(moved.written));
  read({"memory", "dma_bytes", "B", "Data read and written by the network interface."},
       static_cast<double>(moved.dma));
}

void Memory::read_statistics(const Moved& moved, const Reader& read) const {
  MemoryModule::read_statistics(moved, read);
  read({"memory", "busy_ns", "ns", "Time spent moving data, if the bandwidth is limited."},
       static_cast<double>(busy_) / static_cast<double>(kFemtosecondsPerNanosecond));
}

}  // namespace coppice::ni
