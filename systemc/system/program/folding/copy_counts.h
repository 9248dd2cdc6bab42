#pragma once

#include <nlohmann/json.hpp>

#include "system/program/program_machine.h"

namespace coppice::system {

// Multiplies the sums of a run of one copy, so that they are those of all copies, and adds counts to its
// lists.
void count_copies(const FoldedCopies& copies, nlohmann::ordered_json& result);

}  // namespace coppice::system
