#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace coppice::schedule {

// A message of one slot that every period has once.
struct TimetableHop {
  // A channel or a port that it goes through, and how long after its start it comes there.
  struct Use {
    std::int32_t resource = 0;
    Femtoseconds offset = 0;
    std::int32_t routers = 0;  // on the way there
  };
  std::vector<Use> uses;
  std::int32_t way = 1;            // slots from its start until what waits for it may start
  std::int32_t awaits = 0;         // number of preceding hops
  std::vector<std::int32_t> next;  // hops that wait for it
};

// How messages on one resource keep apart however long their ways to it are: `slot` long each, which has to
// be more than ways differ by, and `guard` for every router that one of them has passed and the other has
// not. A slot of no length: they start in different slots, and ways are all alike.
struct Distance {
  Femtoseconds slot = 0;
  Femtoseconds guard = 0;
};

// Slots in which all hops start, from 0; the hops of the next piece start `period` slots later.
struct Timetable {
  std::int32_t period = 0;
  std::vector<std::int32_t> starts;  // [hop]
  std::int32_t last = 0;             // the slot after the last hop's
};

// Places hops so that no two keep a resource in the same slot of a period (modulo scheduling): each in the
// first free slots after its data; where there are none, in those of the fewest others, which look for
// another place. The shortest period is tried first, which is what the busiest resource takes, but not less
// than `first`; nothing if none up to 1 + `slack` of it is found. The same arguments give the same timetable.
std::optional<Timetable> make_timetable(std::span<const TimetableHop> hops, std::int32_t resources,
                                        const Distance& distance, double slack);

}  // namespace coppice::schedule
