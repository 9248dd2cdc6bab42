#include "accelerator/tile_engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/sim_time.h"

namespace coppice::accelerator {

using sc_core::sc_time_stamp;

TileEngine::TileEngine(const sc_core::sc_module_name& name, Frequency clock)
    : sc_module(name), period_(clock.period()) {
  SC_HAS_PROCESS(TileEngine);
  SC_THREAD(compute);
  SC_THREAD(transfer);
}

void TileEngine::start(TileProgram& program) {
  if (busy()) throw ModelError(fmt::format("{}: a program is already running", name()));
  program_ = &program;
  loaded_ = computed_ = 0;
  output_ = -1;
  last_load_ = last_computed_ = before_last_computed_ = sc_time_stamp();
  load_nothing();
  changed();
}

std::int64_t TileEngine::next_output() const {
  return output_ + (program_->demand(computed_).new_output ? 1 : 0);
}

bool TileEngine::may_compute() const {
  if (!busy() || computed_ == loaded_) return false;
  const std::int64_t output = next_output();
  const bool waits = !program_->output_stays() && output > output_;
  return !waits || stores_.empty() || stores_.front().output > output - 2;
}

void TileEngine::compute() {
  while (true) {
    while (!may_compute()) wait(change_);
    const std::int64_t tile = computed_;
    const TileDemand demand = program_->demand(tile);
    output_ = next_output();
    if (program_->carries_values()) program_->compute(tile);
    wait(fabric::to_sc_time(demand.compute * period_));
    before_last_computed_ = last_computed_;
    last_computed_ = sc_time_stamp();
    ++computed_;
    ++statistics_.tiles;
    statistics_.busy += demand.compute;
    if (demand.store > 0) stores_.push_back({last_computed_, tile, output_});
    load_nothing();
    changed();
    finish_if_done();
  }
}

// Whether the next tile may be loaded. If it needs half of the buffers, the tile two positions before it must
// have been computed.
bool TileEngine::may_load() const {
  if (!busy() || loading_ || loaded_ == program_->tiles()) return false;
  return !program_->demand(loaded_).takes_half || loaded_ - computed_ <= 1;
}

sc_core::sc_time TileEngine::load_ready() const {
  if (!program_->demand(loaded_).takes_half) return last_load_;
  return std::max(last_load_, loaded_ - computed_ == 1 ? last_computed_ : before_last_computed_);
}

// Completes the loads of tiles that load nothing. These tiles need not wait for the memory.
void TileEngine::load_nothing() {
  while (may_load() && program_->demand(loaded_).load == 0) {
    last_load_ = sc_time_stamp();
    if (program_->carries_values()) program_->loaded(loaded_, {});
    ++loaded_;
  }
}

// Serves transfers in the order of requests. If a load and a store are requested at the same time, the store
// is served first.
void TileEngine::transfer() {
  while (true) {
    // Waits until all work that ends at the current time is known, and only then chooses the next transfer.
    wait(sc_core::SC_ZERO_TIME);
    wait(sc_core::SC_ZERO_TIME);
    const bool loads = may_load();
    if (!stores_.empty() && (!loads || stores_.front().ready <= load_ready())) {
      store();
    } else if (loads) {
      load();
    } else {
      wait(change_);
    }
  }
}

void TileEngine::load() {
  const TileDemand demand = program_->demand(loaded_);
  const bool values = program_->carries_values();
  if (values) buffer_.resize(static_cast<std::size_t>(demand.load));
  loading_ = true;
  move(tlm::TLM_READ_COMMAND, program_->load_address(loaded_), values ? buffer_.data() : nullptr,
       demand.load);
  loading_ = false;
  statistics_.loaded += demand.load;
  last_load_ = sc_time_stamp();
  if (values) program_->loaded(loaded_, buffer_);
  ++loaded_;
  load_nothing();
  changed();
}

void TileEngine::store() {
  const Store& next = stores_.front();
  const Bytes bytes = program_->demand(next.tile).store;
  const bool values = program_->carries_values();
  if (values) {
    const auto results = program_->results(next.tile);
    buffer_.assign(results.begin(), results.end());
  }
  move(tlm::TLM_WRITE_COMMAND, program_->store_address(next.tile), values ? buffer_.data() : nullptr, bytes);
  statistics_.stored += bytes;
  stores_.pop_front();
  changed();
  finish_if_done();
}

// Transfers data in pieces that are no longer than a transaction can represent.
void TileEngine::move(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, Bytes bytes) {
  constexpr Bytes kLongest = Bytes{1} << 30;
  for (Bytes done = 0; done < bytes; done += kLongest) {
    const auto length = static_cast<unsigned>(std::min(kLongest, bytes - done));
    const std::uint64_t from = address + static_cast<std::uint64_t>(done);
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(from);
    payload.set_data_ptr(data != nullptr ? data + done : nullptr);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    memory->b_transport(payload, delay);
    wait(delay);
    if (payload.is_response_ok()) continue;
    throw ModelError(fmt::format("{}: the memory refused access to {} bytes at {:#x}: {}", name(), length,
                                 from, payload.get_response_string()));
  }
}

void TileEngine::changed() {
  change_.notify(sc_core::SC_ZERO_TIME);
}

void TileEngine::finish_if_done() {
  if (!busy() || computed_ < program_->tiles() || !stores_.empty()) return;
  program_ = nullptr;
  done_.notify(sc_core::SC_ZERO_TIME);
}

void TileEngine::read_statistics(const Reader& read) const {
  read({"tile_engine", "tiles", "", "Tiles computed."}, static_cast<double>(statistics_.tiles));
  read({"tile_engine", "busy_cycles", "cycles", "Accelerator cycles in which a tile was being computed."},
       static_cast<double>(statistics_.busy));
  read({"tile_engine", "bytes_loaded", "B", "Data loaded from memory into the buffers."},
       static_cast<double>(statistics_.loaded));
  read({"tile_engine", "bytes_stored", "B", "Data stored from the buffers to memory."},
       static_cast<double>(statistics_.stored));
}

}  // namespace coppice::accelerator
