#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "accelerator/accelerator.h"
#include "config/loader.h"
#include "workload/program.h"

namespace coppice::system {

// Determines which passes over layers, and which other computations given in operations and bytes, are
// simulated tile by tile, and provides their work. If memory bandwidth is limited, a pass takes longer than
// its formula predicts when the network interface accesses memory at the same time. This is impossible if
// every collective and transfer of the rank comes before or after the pass in program order: the arrays then
// have the memory to themselves, and the pass takes exactly the time that its formula predicts (LayerEngine).
// All other passes are simulated tile by tile.
class SharedPasses {
 public:
  // All references must outlive this object.
  SharedPasses(const config::Loaded& loaded, const workload::Program& program);

  // Whether a rank has any pass that is simulated tile by tile.
  bool any(int rank) const;
  // The work of an operation of a rank; nullptr if the operation is timed by its formula. Throws ConfigError.
  std::shared_ptr<const accelerator::PassWork> work(int rank, std::size_t operation);
  // The number of pieces into which a computation that is not a pass over a layer is divided. Each piece
  // takes a whole number of cycles, so alone() may exceed the time of the roofline by up to kPieces cycles.
  static constexpr Cycles kPieces = 64;
  // The time of `work` in cycles of system.clock if nothing else uses the memory.
  Cycles alone(const accelerator::PassWork& work) const;

  // Records that a pass was simulated tile by tile and took `longer` cycles more than alone().
  void ran(Cycles longer) {
    ++tiles_;
    delay_ += longer;
  }

  // Whether the memory bandwidth is limited.
  bool limited() const { return accelerator_.has_value(); }
  std::int64_t by_formula() const { return passes_ - tiles_; }
  std::int64_t by_tiles() const { return tiles_; }
  Cycles delay() const { return delay_; }

 private:
  using Flags = std::vector<bool>;  // [operation]: whether it is simulated tile by tile

  Flags shared(const workload::RankProgram& rank) const;

  const config::Config& config_;
  const workload::Program& program_;
  // Set if layers run on arrays with limited memory bandwidth.
  std::optional<accelerator::Accelerator> accelerator_;
  std::vector<std::shared_ptr<const Flags>> shared_;  // [rank]: the flags of its operations
  std::map<std::pair<std::int32_t, workload::Purpose>, std::shared_ptr<const accelerator::PassWork>> works_;
  // [operations, bytes]: the work of this computation.
  std::map<std::pair<double, double>, std::shared_ptr<const accelerator::PassWork>> streams_;
  std::int64_t passes_ = 0;
  std::int64_t tiles_ = 0;
  Cycles delay_ = 0;
};

}  // namespace coppice::system
