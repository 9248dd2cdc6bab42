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

// A tile of fp32 values (also bf16 values, stored as fp32), or of int8 values stored as int32.
using ArrayTile = std::variant<TileOperands<float>, TileOperands<std::int32_t>>;

// The interface from which an array fetches its next tile.
class TileSource : public virtual sc_core::sc_interface {
 public:
  // Returns the next tile, which must remain valid until its result has been taken; null if none is
  // available.
  virtual const ArrayTile* next_tile() = 0;
  // Notified when next_tile() may have a tile again.
  virtual const sc_core::sc_event& tile_offered() const = 0;
};

// The interface through which an array reports a finished tile.
class TileSink : public virtual sc_core::sc_interface {
 public:
  // Called in the cycle after the tile's last one; its result is complete.
  virtual void take(const ArrayTile& tile, PeCycles cycles) = 0;
};

// A systolic array as a module: processes tiles back to back, moving their operands through its PEs cycle by
// cycle. Since the computation depends only on the tile, the kernel is entered once per tile: all its cycles
// are computed when it begins, and its result is delivered in the cycle in which it is ready.
class ArrayModule : public sc_core::sc_module, public StatisticsOwner {
 public:
  sc_core::sc_port<TileSource> tiles{"tiles"};
  sc_core::sc_port<TileSink> results{"results"};

  // Totals over all tiles so far.
  struct Statistics {
    std::int64_t tiles = 0;
    PeCycles busy = 0;           // cycles with a tile in the array
    std::int64_t pe_cycles = 0;  // PEs in use times cycles, summed over tiles
    std::int64_t macs = 0;       // multiply-accumulates of operands, excluding zeros outside the tile
  };

  // The kernel's resolution must be a femtosecond (fabric/sim_time.h).
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
  PeCycles cycles_ = 0;  // of tile_
  Statistics statistics_;
};

}  // namespace coppice::accelerator
