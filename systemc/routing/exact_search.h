#pragma once

#include <cstdint>
#include <span>

#include "routing/instance.h"

namespace coppice::routing {

enum class SearchOutcome { kFound, kImpossible, kGaveUp };

// Whether all flows fit with at most `most` on every link: a complete search, for small cases with links
// failed. The pair of ToRs with the least room over its flows goes first; a spine is either taken by one of
// its flows or never by any (so that alike flows are not tried in every order). Gives up after `nodes`
// decisions. `spines` gets the assignment that was found. Flows must be routable.
SearchOutcome search_assignment(const ClosLinks& links, std::span<const Flow> flows, int most,
                                std::int64_t nodes, Assignment& spines);

}  // namespace coppice::routing
