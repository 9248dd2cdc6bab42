#pragma once

#include <nlohmann/json.hpp>

#include "system/program/program_machine.h"

namespace coppice::system {

// Converts the result of one copy's run to that of all copies: multiplies sums, and adds counts to lists.
void count_copies(const FoldedCopies& copies, nlohmann::ordered_json& result);

}  // namespace coppice::system
