#pragma once

#include <vector>

#include "config/keys/key.h"

// Adds the keys of schema.h in groups. Each function adds its keys in the order of a resolved configuration.
namespace coppice::config {

// The keys system.accelerator.*, which describe the model of computation (accelerator_keys.cpp).
void add_accelerator_keys(std::vector<Key>& keys);

// The keys of programs: system.ni.contexts and related keys, program.*, and collectives.OP.*
// (program_keys.cpp).
void add_program_keys(std::vector<Key>& keys);

// The keys of jobs that share a machine, and of failures that happen while programs run (job_keys.cpp).
void add_job_keys(std::vector<Key>& keys);

// The keys for the training of a large model: training.parallel.*, training.micro_batches, training.schedule
// and related keys (parallel_keys.cpp).
void add_parallel_keys(std::vector<Key>& keys);

// The keys of workload.inference (parallel_keys.cpp).
void add_inference_keys(std::vector<Key>& keys);

// The keys routing.*, which only `coppice route` uses (routing_keys.cpp).
void add_routing_keys(std::vector<Key>& keys);

// The keys system.topology.failed_spines, failed_links and degraded (routing_keys.cpp).
void add_failure_keys(std::vector<Key>& keys, Purposes used);

// system.ni.protocols: a list of protocols for messages, each of the form {name, efficiency, setup, launch,
// from, up_to, algorithms, operations, ranks}. A collective uses the fastest protocol that applies to it
// (protocol_keys.cpp).
Key protocols_key();

// system.switch.reduction_bandwidth (protocol_keys.cpp).
Key reduction_bandwidth_key();

// collective.dimension_algorithms: a list with one algorithm for each dimension of a hierarchy, or the name
// of an ASTRA-sim system file (dimension_algorithms.cpp).
Key dimension_algorithms_key();

}  // namespace coppice::config
