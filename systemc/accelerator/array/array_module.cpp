#include "accelerator/array/array_module.h"

#include "fabric/sim_time.h"

namespace coppice::accelerator {

ArrayModule::ArrayModule(const sc_core::sc_module_name& name, const SystolicArray& array, Frequency clock)
    : sc_module(name), array_(array), period_(clock.period()) {
  SC_HAS_PROCESS(ArrayModule);
  SC_METHOD(work);
}

// Called when the tile in progress, if any, is finished.
void ArrayModule::work() {
  if (tile_ != nullptr) results->take(*tile_, cycles_);
  tile_ = tiles->next_tile();
  if (tile_ == nullptr) {
    next_trigger(tiles->tile_offered());
    return;
  }
  cycles_ = std::visit([this](const auto& operands) { return compute(operands); }, *tile_);
  next_trigger(fabric::to_sc_time(cycles_ * period_));
}

template <typename Value>
PeCycles ArrayModule::compute(const TileOperands<Value>& operands) {
  TileRun<Value> run(array_.dataflow(), operands, array_.pe_latency());
  run.finish();
  const std::int64_t pes = operands.left.rows * operands.upper.columns;
  ++statistics_.tiles;
  statistics_.busy += run.cycles();
  statistics_.pe_cycles += run.cycles() * pes;
  statistics_.macs += operands.left.columns * pes;
  return run.cycles();
}

void ArrayModule::read_statistics(const Reader& read) const {
  read({"array", "tiles", "", "Tiles that have passed through the array."},
       static_cast<double>(statistics_.tiles));
  read({"array", "busy_cycles", "cycles", "Accelerator cycles in which a tile was in the array."},
       static_cast<double>(statistics_.busy));
  read({"array", "pe_cycles", "cycles",
        "Busy cycles, each multiplied by the number of PEs that its tile uses."},
       static_cast<double>(statistics_.pe_cycles));
  read({"array", "macs", "", "Multiply-accumulates."}, static_cast<double>(statistics_.macs));
}

}  // namespace coppice::accelerator
