#pragma once

#include <cstdint>

#include "config/settings/config.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::config {

// Queries that need only the configuration, but no graph and no schedule.

// Whether the kind is described by `dims`.
bool has_dims(const Config& config);

// Whether the kind is a torus or mesh: `dims` are widths, and a dimension of width 1 has no links.
bool is_grid(const Config& config);

// The description of the kind; nullptr before a kind has been read, or if no kind has its name.
const topology::KindInfo* kind_of(const Config& config);

bool described_by(const Config& config, topology::DescribedBy where);

// The description of the collective's algorithm; nullptr if no algorithm is configured, as for synthetic
// traffic.
const schedule::AlgorithmInfo* algorithm_of(const Config& config);

// Whether the collective's algorithm supports collective.trees.
bool has_tree_placement(const Config& config);

// Whether the collective's algorithm moves chunks through the dimensions of a hierarchy.
bool runs_over_dimensions(const Config& config);

// The names of the algorithms that run over dimensions.
std::vector<std::string> algorithms_over_dimensions();

// The names of the all-to-all algorithms, and of the algorithms that choose among them.
std::vector<std::string> all_to_all_algorithms();

// Whether the collective's algorithm compiles other algorithms and chooses the fastest.
bool chooses_algorithm(const Config& config);

// Whether the configuration specifies work for accelerators, not only a network.
bool has_work(const Config& config);

// Whether the collective's tables are read from collective.file.
bool reads_tables(const Config& config);

// The kind of work that coppice run does for a configuration.
enum class Work {
  kCollective,  // among all accelerators
  kGroup,       // a collective of a group, or an all-to-all
  kLayers,      // one iteration of a layer table
  kText,        // a text workload
  kLarge,       // training of a large model
  kInference,   // inference of a large model
  kProgram,     // a program's file, a trace, or jobs
};
Work work_of(const Config& config);

// Whether accelerators compute layers of a table, tile by tile.
bool computes_layers(const Config& config);

// Whether accelerators compute, or may compute, work that a program specifies in operations and bytes.
bool computes_by_size(const Config& config);

// Whether the workload specifies its own collectives, unlike a single collective or a layer table.
bool names_collectives(const Config& config);

// Whether the system runs a program whose result lists its collectives: if names_collectives() holds, or for
// the collective of a group or an all-to-all.
bool runs_program(const Config& config);

// Whether the system runs inference of a large model, named by workload.inference.
bool runs_inference(const Config& config);

// Whether the system trains a large model, laid out by training.parallel.
bool trains_large_model(const Config& config);

// Whether `training.model` is a text workload of ASTRA-sim (*.txt) and not a layer table.
bool trains_text_workload(const Config& config);

// The number of accelerators; 0 if only the graph file determines it.
std::int64_t count_accelerators(const Config& config);

}  // namespace coppice::config
