#pragma once

#include <cstdint>

#include "config/config.h"

namespace coppice::config {

// What the topology section alone tells of a system, before its graph is built.

// The kind is described by `dims`.
bool has_dims(const Config& config);

// A torus or mesh: `dims` are widths, and a width of 1 has no links.
bool is_grid(const Config& config);

// The collective's algorithm is one over trees that collective.trees places.
bool has_trees(const Config& config);

// `training.model` names a text workload of ASTRA-sim (*.txt) and not a layer table.
bool trains_text_workload(const Config& config);

// How many accelerators there are; 0 where only the graph tells (kind file, or dims that its builder
// refuses).
std::int64_t count_accelerators(const Config& config);

}  // namespace coppice::config
