#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "accelerator/accelerator.h"
#include "accelerator/tile_engine.h"

namespace coppice::accelerator {

// The compute engine of a node. It executes the work of layers (Accelerator::work()) one after another on a
// TileEngine and uses the memory that is shared with the network interface. To use it in an
// AcceleratorModule, write:
//
//   LayerEngine engine_{"engine", clock};          // a member
//   share_memory(engine_.memory);                  // in its constructor
//   engine_.start(work); wait(engine_.done());     // in its process
//
// If nothing else uses the memory, work takes exactly the number of cycles in its cost.
class LayerEngine final : public sc_core::sc_module {
 public:
  tlm::tlm_initiator_socket<> memory{"memory"};

  // `clock` is the clock of the accelerator. The kernel's time resolution must be one femtosecond
  // (fabric/sim_time.h).
  LayerEngine(const sc_core::sc_module_name& name, Frequency clock);
  ~LayerEngine() override;

  // Starts executing `work` now. Throws ModelError if other work is in progress.
  void start(std::shared_ptr<const PassWork> work);
  bool busy() const { return work_ != nullptr; }
  // Notified when the last result of the work has been written to memory.
  const sc_core::sc_event& done() const { return done_; }
  // The totals of all work so far.
  const TileEngine::Statistics& statistics() const { return tiles_.statistics(); }

 private:
  class Run;

  void advance();

  TileEngine tiles_;
  std::shared_ptr<const PassWork> work_;
  std::size_t next_ = 0;  // index in work_->runs
  std::unique_ptr<Run> run_;
  sc_core::sc_event done_;
};

}  // namespace coppice::accelerator
