#pragma once

#include <cstdint>

#include "config/settings/config.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::config {

// Queries that depend only on the configuration; they need neither the network nor a schedule.

// Whether the configured kind of network is described by its `dims`.
bool has_dims(const Config& config);

// Whether the configured network is a torus or mesh. Its `dims` are widths, and a dimension of width 1 has no
// links.
bool is_grid(const Config& config);

// The description of the configured kind of network; nullptr if the kind has not been read yet, or if there
// is no kind of this name.
const topology::KindInfo* kind_of(const Config& config);

bool described_by(const Config& config, topology::DescribedBy where);

// The description of the configured algorithm; nullptr if there is none, as for synthetic traffic.
const schedule::AlgorithmInfo* algorithm_of(const Config& config);

// Whether the configured algorithm supports collective.trees.
bool has_tree_placement(const Config& config);

// Whether the configured algorithm moves chunks through the dimensions of a hierarchy.
bool runs_over_dimensions(const Config& config);

// The names of all algorithms that move chunks through dimensions.
std::vector<std::string> algorithms_over_dimensions();

// The names of the all-to-all algorithms, and of the algorithms that choose among them.
std::vector<std::string> all_to_all_algorithms();

// Whether the configured algorithm compiles other algorithms and chooses the fastest.
bool chooses_algorithm(const Config& config);

// Whether the configuration specifies work for accelerators, and not only a network.
bool has_work(const Config& config);

// Whether the tables of the collective are read from collective.file.
bool reads_tables(const Config& config);

// The kind of work that `coppice run` does for a configuration.
enum class Work {
  kCollective,  // a collective among all accelerators
  kGroup,       // a collective of a group, or an all-to-all
  kLayers,      // one training iteration on a layer table
  kText,        // one training iteration of a text workload
  kLarge,       // training of a large model
  kInference,   // inference of a large model
  kProgram,     // a program from a file, a trace, or jobs
};
Work work_of(const Config& config);

// Whether accelerators compute the layers of a table, tile by tile.
bool computes_layers(const Config& config);

// Whether accelerators perform, or may perform, computations that are specified by their numbers of
// operations and bytes.
bool computes_by_size(const Config& config);

// Whether the workload specifies its own collectives; a single collective or a layer table does not.
bool names_collectives(const Config& config);

// Whether the result of the run lists collectives. This is true if names_collectives() holds, and for the
// collective of a group or an all-to-all.
bool runs_program(const Config& config);

// Whether the run is the inference of a large model (workload.inference).
bool runs_inference(const Config& config);

// Whether the run is the training of a large model (training.parallel).
bool trains_large_model(const Config& config);

// Whether `training.model` is a text workload of ASTRA-sim (*.txt) instead of a layer table.
bool trains_text_workload(const Config& config);

// The number of accelerators; 0 if it can be determined only by reading the graph file.
std::int64_t count_accelerators(const Config& config);

}  // namespace coppice::config
