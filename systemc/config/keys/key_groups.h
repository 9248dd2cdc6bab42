#pragma once

#include <vector>

#include "config/keys/key.h"

// The keys of schema.h, in groups. Each function adds its keys in the order of a resolved configuration.
namespace coppice::config {

// system.accelerator.*: the model of computation (accelerator_keys.cpp).
void add_accelerator_keys(std::vector<Key>& keys);

// The keys of programs: system.ni.contexts and related keys, program, collectives.OP (program_keys.cpp).
void add_program_keys(std::vector<Key>& keys);

// The keys of jobs that share a machine, and of failures while programs run (job_keys.cpp).
void add_job_keys(std::vector<Key>& keys);

// The keys for training a large model: training.parallel, micro_batches, schedule and related keys
// (parallel_keys.cpp).
void add_parallel_keys(std::vector<Key>& keys);

// The keys of workload.inference (parallel_keys.cpp).
void add_inference_keys(std::vector<Key>& keys);

// routing.*: the keys of `coppice route` (routing_keys.cpp).
void add_routing_keys(std::vector<Key>& keys);

// system.topology.failed_spines, failed_links and degraded (routing_keys.cpp).
void add_failure_keys(std::vector<Key>& keys, Purposes used);

// system.ni.protocols: a list of protocols for messages, each {name, efficiency, setup, launch, from, up_to,
// algorithms, operations, ranks}. The fastest applicable protocol is used (protocol_keys.cpp).
Key protocols_key();

// system.switch.reduction_bandwidth (protocol_keys.cpp).
Key reduction_bandwidth_key();

// collective.dimension_algorithms: a list with an algorithm for every dimension of a hierarchy, or the name
// of an ASTRA-sim system file, relative to the working directory (dimension_algorithms.cpp).
Key dimension_algorithms_key();

}  // namespace coppice::config
