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

// Determines which passes over layers, and other computations given in operations and bytes, are simulated
// tile by tile, and provides their work for the simulation. If memory bandwidth is limited, a pass takes
// longer than its formula when the network interface accesses memory at the same time. This is impossible if
// every exchange of the rank precedes or follows the pass in program order: the arrays then use the memory
// exclusively, and the pass takes exactly the time of its formula (LayerEngine). All other passes run tile by
// tile.
class SharedPasses {
 public:
  // All references must outlive this object.
  SharedPasses(const config::Loaded& loaded, const workload::Program& program);

  // Whether a rank has passes that run tile by tile.
  bool any(int rank) const;
  // The work of an operation of a rank; nullptr if its formula is sufficient. Throws ConfigError.
  std::shared_ptr<const accelerator::PassWork> work(int rank, std::size_t operation);
  // The number of pieces of a computation that is not a pass over a layer. Each piece takes a whole number of
  // cycles, so alone() may exceed the roofline's time by up to kPieces cycles.
  static constexpr Cycles kPieces = 64;
  // The time of `work` with exclusive use of the memory, in cycles of system.clock.
  Cycles alone(const accelerator::PassWork& work) const;

  // Records that a pass has run tile by tile and took `longer` cycles more than alone().
  void ran(Cycles longer) {
    ++tiles_;
    delay_ += longer;
  }

  // Whether passes run with limited memory bandwidth.
  bool limited() const { return accelerator_.has_value(); }
  std::int64_t by_formula() const { return passes_ - tiles_; }
  std::int64_t by_tiles() const { return tiles_; }
  Cycles delay() const { return delay_; }

 private:
  using Flags = std::vector<bool>;  // [operation]

  Flags shared(const workload::RankProgram& rank) const;

  const config::Config& config_;
  const workload::Program& program_;
  std::optional<accelerator::Accelerator>
      accelerator_;  // set if layers run on arrays with limited memory bandwidth
  std::vector<std::shared_ptr<const Flags>> shared_;  // [rank]
  std::map<std::pair<std::int32_t, workload::Purpose>, std::shared_ptr<const accelerator::PassWork>> works_;
  std::map<std::pair<double, double>, std::shared_ptr<const accelerator::PassWork>>
      streams_;  // by (operations, bytes)
  std::int64_t passes_ = 0;
  std::int64_t tiles_ = 0;
  Cycles delay_ = 0;
};

}  // namespace coppice::system
