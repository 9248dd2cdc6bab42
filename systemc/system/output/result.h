#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "schedule/automatic/automatic.h"
#include "workload/collective_spec.h"

namespace coppice::system {

// The bus bandwidth of a collective divided by its algorithm bandwidth: the number of bytes that each
// accelerator's links carry per byte of the collective.
double bus_factor(workload::CollectiveOp op, int accelerators);

// Throws a ModelError that names the quantity if the result is impossible: the run took less than `least_ns`,
// a collective took less than its lower bound, or a fraction of time or bandwidth exceeds 1.
void require_possible(const nlohmann::ordered_json& result, double least_ns);

// Writes the algorithm that `algorithm: auto` chose, if any, and all candidates, fastest first.
void write_choice(const std::vector<schedule::ExpectedTime>& expected, nlohmann::ordered_json& result);

}  // namespace coppice::system
