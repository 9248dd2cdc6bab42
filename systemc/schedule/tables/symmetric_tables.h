#pragma once

#include <cstdint>

#include "schedule/tables/node_moves.h"
#include "schedule/tables/table.h"

namespace coppice::schedule {

// Tables that look the same from every accelerator: moves() map the origin's messages to those of any other,
// so that the origin's behaviour represents that of every accelerator.
class SymmetricTables : public TableSource {
 public:
  virtual const Translations& moves() const = 0;
  // The flow of the message that arrives at the origin as the image of a message of `flow` that arrives at
  // `from`.
  virtual std::int32_t moved_back_flow(std::int32_t flow, NodeId from) const = 0;
};

}  // namespace coppice::schedule
