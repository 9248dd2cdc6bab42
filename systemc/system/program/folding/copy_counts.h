#pragma once

#include <nlohmann/json.hpp>

#include "fabric/fabric.h"
#include "system/program/program_machine.h"

namespace coppice::system {

// The number of flits on each channel of the machine, given the numbers for the channels of the quotient
// network.
fabric::FabricStatistics of_all_channels(const FoldedCopies& copies,
                                         const fabric::FabricStatistics& of_one_copy);

// Converts the result of running one copy to the result for all copies: sums are multiplied, and list items
// get counts.
void count_copies(const FoldedCopies& copies, nlohmann::ordered_json& result);

}  // namespace coppice::system
