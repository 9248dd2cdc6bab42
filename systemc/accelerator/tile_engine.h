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

// The tiles of a product, in the order of computation, and the data of these tiles.
class TileProgram {
 public:
  virtual ~TileProgram() = default;
  virtual std::int64_t tiles() const = 0;
  virtual TileDemand demand(std::int64_t tile) const = 0;
  virtual bool output_stays() const = 0;
  // Whether operands and results are bytes in memory. Otherwise, tiles are only timed, transfers carry no
  // data, and the functions below are not called.
  virtual bool carries_values() const { return true; }
  // load_address() is the memory address of a tile's operands, which are contiguous; store_address() is the
  // address of its results.
  virtual std::uint64_t load_address(std::int64_t /*tile*/) const { return 0; }
  virtual std::uint64_t store_address(std::int64_t /*tile*/) const { return 0; }
  // Called when the operands of a tile are in the buffers.
  virtual void loaded(std::int64_t /*tile*/, std::span<const std::uint8_t> /*operands*/) {}
  // Called when the computation of a tile starts.
  virtual void compute(std::int64_t /*tile*/) {}
  // Returns the results of a tile. Their size must be the number of bytes that the tile stores.
  virtual std::span<const std::uint8_t> results(std::int64_t /*tile*/) { return {}; }
};

// A module for the accelerator of a node: arrays with double buffers, and a DMA engine. The DMA engine fills
// and empties the buffers through a TLM-2.0 socket, one transfer at a time, in the order of requests. With
// its own memory, the accelerator takes the number of cycles that run_pipeline() computes. If a network
// interface shares the memory, it may take longer.
class TileEngine : public sc_core::sc_module, public StatisticsOwner {
 public:
  tlm_utils::simple_initiator_socket<TileEngine> memory{"memory"};

  // The totals of all programs so far.
  struct Statistics {
    std::int64_t tiles = 0;
    PeCycles busy = 0;  // cycles in which tiles are being computed
    Bytes loaded = 0;
    Bytes stored = 0;
  };

  // The kernel's time resolution must be one femtosecond (fabric/sim_time.h).
  TileEngine(const sc_core::sc_module_name& name, Frequency clock);

  // Starts `program`, which must remain alive until it is done. Throws ModelError if a program is already
  // running.
  void start(TileProgram& program);
  bool busy() const { return program_ != nullptr; }
  // Notified when the last result of a program has been written to memory.
  const sc_core::sc_event& done() const { return done_; }
  const Statistics& statistics() const { return statistics_; }
  void read_statistics(const Reader& read) const override;

 private:
  struct Store {
    sc_core::sc_time ready;
    std::int64_t tile = 0;
    std::int64_t output = 0;  // index of the tile of sums to which the stored results belong
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
  std::int64_t loaded_ = 0;    // number of tiles that have been loaded
  std::int64_t computed_ = 0;  // number of tiles that have been computed
  std::int64_t output_ = -1;   // index of the current tile of sums; -1 before the first
  bool loading_ = false;
  std::deque<Store> stores_;  // stores in progress
  sc_core::sc_time last_load_;
  sc_core::sc_time last_computed_;
  sc_core::sc_time before_last_computed_;
  std::vector<std::uint8_t> buffer_;
  sc_core::sc_event change_;
  sc_core::sc_event done_;
  Statistics statistics_;
};

}  // namespace coppice::accelerator
