#pragma once

#include <cstdint>

#include "config/settings/config.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::config {

// The meaning of names in the configuration, before a graph or a schedule is built.

// The kind is described by `dims`.
bool has_dims(const Config& config);

// A torus or mesh: `dims` are widths, and a width of 1 has no links.
bool is_grid(const Config& config);

// The description of the kind; null before one is read, or for a name that is none's.
const topology::KindInfo* kind_of(const Config& config);

bool described_by(const Config& config, topology::DescribedBy where);

// The description of the collective's algorithm; null if none is named, as for traffic.
const schedule::AlgorithmInfo* algorithm_of(const Config& config);

// The collective's algorithm lays trees on the network as collective.trees says.
bool places_trees(const Config& config);

// The collective's algorithm moves chunks through the dimensions of a hierarchy.
bool runs_over_dimensions(const Config& config);

// The names of the algorithms that do.
std::vector<std::string> algorithms_over_dimensions();

// The names of the all-to-all algorithms, and of the algorithms that choose one.
std::vector<std::string> all_to_all_algorithms();

// The collective's algorithm compiles others and keeps the fastest.
bool chooses_algorithm(const Config& config);

// Accelerators have something to do: there is more to it than a network.
bool has_work(const Config& config);

// The collective's tables are read from collective.file.
bool reads_tables(const Config& config);

// The kind of work that coppice run does for a configuration.
enum class Work {
  kCollective,  // among all accelerators
  kGroup,       // a collective of a group, or an all-to-all
  kLayers,      // an iteration of a layer table
  kText,        // a text workload
  kLarge,       // a large model that is trained
  kInference,   // a large model that is served
  kProgram,     // a program's file, a trace, or jobs
};
Work work_of(const Config& config);

// Accelerators compute layers of a table, tile by tile.
bool computes_layers(const Config& config);

// Whether accelerators compute, or may compute, work that a program gives in operations and bytes.
bool computes_by_size(const Config& config);

// The workload states its own collectives: it is neither a single collective nor a layer table.
bool names_collectives(const Config& config);

// The system runs a program whose result lists its collectives: one that names_collectives(), the collective
// of a group, or an all-to-all.
bool runs_program(const Config& config);

// The system serves a large model: workload.inference names one.
bool runs_inference(const Config& config);

// The system trains a large model: training.parallel says how it is laid out.
bool trains_large_model(const Config& config);

// `training.model` names a text workload of ASTRA-sim (*.txt) and not a layer table.
bool trains_text_workload(const Config& config);

// The number of accelerators; 0 if only the graph file determines it.
std::int64_t count_accelerators(const Config& config);

}  // namespace coppice::config
