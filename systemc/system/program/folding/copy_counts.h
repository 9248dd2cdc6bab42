#pragma once

#include <nlohmann/json.hpp>

#include "fabric/fabric.h"
#include "system/program/program_machine.h"

namespace coppice::system {

// The flits on each channel of the machine, from those on the channels of the quotient network.
fabric::FabricStatistics of_all_channels(const FoldedCopies& copies,
                                         const fabric::FabricStatistics& of_one_copy);

// Converts the result of one copy's run to that of all copies: multiplies sums, and adds counts to lists.
void count_copies(const FoldedCopies& copies, nlohmann::ordered_json& result);

}  // namespace coppice::system
