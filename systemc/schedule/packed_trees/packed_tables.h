#pragma once

#include <optional>

#include "base/units.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The algorithm's name.
inline constexpr const char* kPackedTrees = "packed_trees";

// Tables over packed trees, and their expected time.
struct PackedTables {
  std::optional<Schedule> schedule;  // nullopt if they would take longer than the limit
  Femtoseconds expected = 0;
  // Pieces wait in routers' buffers, which expected_time() does not model.
  bool buffered = false;
};

}  // namespace coppice::schedule
