#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <variant>

#include "accelerator/array/systolic_array.h"
#include "accelerator/array/tile_run.h"
#include "base/statistics.h"
#include "base/units.h"

namespace coppice::accelerator {

// A tile of fp32 values (or bf16 values, stored as fp32), or of int8 values stored as int32.
using ArrayTile = std::variant<TileOperands<float>, TileOperands<std::int32_t>>;

// The interface from which an array fetches its next tile.
class TileSource : public virtual sc_core::sc_interface {
 public:
  // Returns the next tile, or null if none is available. The tile must remain valid until its result has been
  // taken.
  virtual const ArrayTile* next_tile() = 0;
  // Notified when next_tile() may have another tile.
  virtual const sc_core::sc_event& tile_offered() const = 0;
};

// The interface through which an array reports a finished tile.
class TileSink : public virtual sc_core::sc_interface {
 public:
  // Called in the cycle after the tile's last cycle, when the result is complete.
  virtual void take(const ArrayTile& tile, PeCycles cycles) = 0;
};

// A systolic array as a module. It processes tiles back to back and moves their operands through its PEs
// cycle by cycle. Since the computation depends only on the tile, the kernel is entered only once per tile:
// all cycles of a tile are computed when it begins, and its result is delivered in the cycle in which the
// result is ready.
class ArrayModule : public sc_core::sc_module, public StatisticsOwner {
 public:
  sc_core::sc_port<TileSource> tiles{"tiles"};
  sc_core::sc_port<TileSink> results{"results"};

  // The totals of all tiles so far.
  struct Statistics {
    std::int64_t tiles = 0;
    PeCycles busy = 0;           // cycles with a tile in the array
    std::int64_t pe_cycles = 0;  // number of PEs in use times cycles, summed over tiles
    std::int64_t macs = 0;       // multiply-accumulates of operands, excluding zeros outside the tile
  };

  // The kernel's time resolution must be one femtosecond (fabric/sim_time.h).
  ArrayModule(const sc_core::sc_module_name& name, const SystolicArray& array, Frequency clock);

  const SystolicArray& array() const { return array_; }
  const Statistics& statistics() const { return statistics_; }
  void read_statistics(const Reader& read) const override;

 private:
  void work();
  template <typename Value>
  PeCycles compute(const TileOperands<Value>& operands);

  SystolicArray array_;
  Femtoseconds period_;
  const ArrayTile* tile_ = nullptr;
  PeCycles cycles_ = 0;  // number of cycles of tile_
  Statistics statistics_;
};

}  // namespace coppice::accelerator
