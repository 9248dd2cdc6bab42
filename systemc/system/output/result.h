#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "schedule/automatic/automatic.h"
#include "workload/collective_spec.h"

namespace coppice::system {

// Bytes each accelerator's link carries per byte of a collective: the factor between algorithm and bus
// bandwidth.
double bus_factor(workload::CollectiveOp op, int accelerators);

// Throws ModelError naming the quantity if the run took less than `least_ns`, if a collective took less than
// the least possible time, or if a fraction of time or bandwidth exceeds 1.
void require_possible(const nlohmann::ordered_json& result, double least_ns);

// Adds the choice of `algorithm: auto` and its candidates, the fastest first, if there was one.
void write_choice(const std::vector<schedule::ExpectedTime>& expected, nlohmann::ordered_json& result);

}  // namespace coppice::system
