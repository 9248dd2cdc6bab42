#pragma once

#include <cstdint>
#include <span>

#include "routing/instance.h"

namespace coppice::routing {

enum class SearchOutcome { kFound, kImpossible, kGaveUp };

// Searches exhaustively for an assignment with at most `most` flows on every link. It is meant for small
// cases with failed links. Each decision concerns the pair of ToRs with the least slack: a spine is either
// assigned to one of the pair's flows or excluded for all of them, so equivalent flows are not tried in every
// order. Gives up after `nodes` decisions. If an assignment is found, it is stored in `spines`. All flows
// must be routable.
SearchOutcome search_assignment(const ClosLinks& links, std::span<const Flow> flows, int most,
                                std::int64_t nodes, Assignment& spines);

}  // namespace coppice::routing
