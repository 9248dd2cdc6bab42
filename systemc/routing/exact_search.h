#pragma once

#include <cstdint>
#include <span>

#include "routing/instance.h"

namespace coppice::routing {

enum class SearchOutcome { kFound, kImpossible, kGaveUp };

// Searches for an assignment with at most `most` flows on every link: a complete search, for small cases with
// failed links. The pair of ToRs with the least spare room is decided first; a spine is either assigned to
// one of its flows or excluded for all of them (so that equivalent flows are not tried in every order). Gives
// up after `nodes` decisions. `spines` receives the assignment. Flows must be routable.
SearchOutcome search_assignment(const ClosLinks& links, std::span<const Flow> flows, int most,
                                std::int64_t nodes, Assignment& spines);

}  // namespace coppice::routing
