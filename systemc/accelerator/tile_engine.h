#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <systemc>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm>

#include "accelerator/buffers/tile_pipeline.h"
#include "base/statistics.h"
#include "base/units.h"

namespace coppice::accelerator {

// The tiles of a product in the order of computation, and their data.
class TileProgram {
 public:
  virtual ~TileProgram() = default;
  virtual std::int64_t tiles() const = 0;
  virtual TileDemand demand(std::int64_t tile) const = 0;
  virtual bool output_stays() const = 0;
  // Whether operands and results are bytes in the memory. If not, tiles are only timed, transfers have no
  // data, and none of the functions below is called.
  virtual bool carries_values() const { return true; }
  // The memory addresses of a tile's operands, which are contiguous, and of its results.
  virtual std::uint64_t load_address(std::int64_t /*tile*/) const { return 0; }
  virtual std::uint64_t store_address(std::int64_t /*tile*/) const { return 0; }
  // The tile's operands are in the buffers.
  virtual void loaded(std::int64_t /*tile*/, std::span<const std::uint8_t> /*operands*/) {}
  // The tile's computation starts and takes the cycles of its demand.
  virtual void compute(std::int64_t /*tile*/) {}
  // The results of a tile, as many bytes as it stores.
  virtual std::span<const std::uint8_t> results(std::int64_t /*tile*/) { return {}; }
};

// The accelerator of a node: double buffers around its arrays, and a DMA engine that fills and empties them
// over a TLM-2.0 socket, one transfer at a time, in request order. With its own memory it takes the cycles of
// run_pipeline(); a memory shared with a network interface makes it wait.
class TileEngine : public sc_core::sc_module, public StatisticsOwner {
 public:
  tlm_utils::simple_initiator_socket<TileEngine> memory{"memory"};

  // Totals over all programs so far.
  struct Statistics {
    std::int64_t tiles = 0;
    PeCycles busy = 0;  // cycles in which tiles are computed
    Bytes loaded = 0;
    Bytes stored = 0;
  };

  // The kernel's resolution must be a femtosecond (fabric/sim_time.h).
  TileEngine(const sc_core::sc_module_name& name, Frequency clock);

  // Starts `program`, which must outlast it. Throws ModelError if another one is in progress.
  void start(TileProgram& program);
  bool busy() const { return program_ != nullptr; }
  // Notified when the last result of a program is in the memory.
  const sc_core::sc_event& done() const { return done_; }
  const Statistics& statistics() const { return statistics_; }
  void read_statistics(const Reader& read) const override;

 private:
  struct Store {
    sc_core::sc_time ready;
    std::int64_t tile = 0;
    std::int64_t output = 0;  // index of its tile of sums
  };

  void compute();
  void transfer();
  void load_nothing();
  bool may_load() const;
  bool may_compute() const;
  sc_core::sc_time load_ready() const;
  void load();
  void store();
  void move(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, Bytes bytes);
  std::int64_t next_output() const;
  void changed();
  void finish_if_done();

  Femtoseconds period_;
  TileProgram* program_ = nullptr;
  std::int64_t loaded_ = 0;    // number of tiles
  std::int64_t computed_ = 0;  // number of tiles
  std::int64_t output_ = -1;   // number of tiles of sums begun, minus one
  bool loading_ = false;
  std::deque<Store> stores_;  // not finished
  sc_core::sc_time last_load_;
  sc_core::sc_time last_computed_;
  sc_core::sc_time before_last_computed_;
  std::vector<std::uint8_t> buffer_;
  sc_core::sc_event change_;
  sc_core::sc_event done_;
  Statistics statistics_;
};

}  // namespace coppice::accelerator
