#pragma once

#include <optional>

#include "base/units.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

inline constexpr const char* kPackedTrees = "packed_trees";

// Tables of packed trees, and their expected time.
struct PackedTables {
  std::optional<Schedule> schedule;  // nullopt if the tables would take longer than the limit
  Femtoseconds expected = 0;
  // Whether pieces wait in router buffers, which expected_time() models only with Waiting::kInRouters.
  bool buffered = false;
  // Whether messages may block each other on shared channels, which expected_time() neglects.
  bool contended = false;
};

}  // namespace coppice::schedule
