#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace coppice::schedule {

// A message that occupies one slot and recurs once per period.
struct TimetableHop {
  // A channel or port that the message uses, and the time from the message's start until it arrives there.
  struct Use {
    std::int32_t resource = 0;
    Femtoseconds offset = 0;
    std::int32_t routers = 0;  // number of routers passed on the way there
  };
  std::vector<Use> uses;
  std::int32_t way = 1;            // slots from its start until its successors may start
  std::int32_t awaits = 0;         // number of hops for which it waits
  std::vector<std::int32_t> next;  // indices of the hops that wait for it
};

// The minimum time between messages on the same resource if the latencies of their paths to it may differ. It
// is `slot`, which must exceed that difference, plus `guard` times the difference between the numbers of
// routers on the paths. If `slot` is 0, all paths are equal, and messages only have to start in different
// slots.
struct Distance {
  Femtoseconds slot = 0;
  Femtoseconds guard = 0;
};

// The slot in which each hop starts, from 0. The hops of each further piece start `period` slots later.
struct Timetable {
  std::int32_t period = 0;
  std::vector<std::int32_t> starts;  // [hop]: its slot
  std::int32_t last = 0;             // one past the slot of the last hop
};

// Places hops so that no two use a resource in the same slot of a period (modulo scheduling). Each hop takes
// the first free slots after its data has arrived; if no slots are free, it displaces as few other hops as
// possible, which are then placed again. The periods tried range from the load of the busiest resource to
// about 1 + `slack` times that load. Returns nullopt if no period works. The same arguments always yield the
// same timetable.
std::optional<Timetable> make_timetable(std::span<const TimetableHop> hops, std::int32_t resources,
                                        const Distance& distance, double slack);

}  // namespace coppice::schedule
