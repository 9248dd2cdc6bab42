#pragma once

#include <cstdint>

#include "schedule/tables/node_moves.h"
#include "schedule/tables/table.h"

namespace coppice::schedule {

// Tables that look alike from every accelerator: moves() take the origin's messages to those of anybody, so
// that what happens at the origin happens everywhere.
class SymmetricTables : public TableSource {
 public:
  virtual const Translations& moves() const = 0;
  // The flow of what comes to the origin when a message of `flow` comes to `from`.
  virtual std::int32_t moved_back_flow(std::int32_t flow, NodeId from) const = 0;
};

}  // namespace coppice::schedule
