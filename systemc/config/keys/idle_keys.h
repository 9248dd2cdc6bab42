#pragma once

#include <string>

#include "config/keys/key.h"

// Rules for Key::idle: each returns the reason why keys of one kind have no effect in a configuration, or an
// empty string if they have an effect.
namespace coppice::config {

std::string idle_untrained(const Config& config, const Use& use);
// Keys that only a single collective reads.
std::string idle_size(const Config& config, const Use& use);
// Keys that only traces read.
std::string idle_trace(const Config& config, const Use& use);
// Keys that only programs read.
std::string idle_contexts(const Config& config, const Use& use);
std::string idle_jitter(const Config& config, const Use& use);
// Keys that choose how a program's collectives with operation `op` run, if the program has no such
// collectives.
std::string idle_choice(const Config& config, workload::CollectiveOp op);
std::string idle_chunks(const Config& config, workload::CollectiveOp op);
std::string idle_op(const Config& config, const Use& use);
// Sharding of the optimizer among copies, and the exchange among context-parallel ranks.
std::string idle_copies(const Config& config, const Use& use);
std::string idle_zero(const Config& config, const Use& use);
std::string idle_exchange(const Config& config, const Use& use);
// The size of buckets, if gradients are not reduced by buckets.
std::string idle_bucket(const Config& config, const Use& use);
// Keys that only the training of large models reads.
std::string idle_parallel(const Config& config, const Use& use);
// Keys of the inference of a large model.
std::string idle_inference(const Config& config, const Use& use);
// Keys that only text workloads read.
std::string idle_all_gather_bytes(const Config& config, const Use& use);
// The root, for a collective that has no root.
std::string idle_root(const Config& config, const Use& use);
// dims of a kind without dims, and the graph file of a kind that does not read a file.
std::string idle_dims(const Config& config, const Use& use);
std::string idle_file(const Config& config, const Use& use);
// Keys that decide how chunks move through dimensions.
std::string idle_scheduler(const Config& config, const Use& use);
// The clock, and durations in cycles.
std::string idle_clock(const Config& config, const Use& use);
std::string idle_delay(const Config& config, const Use& use);
// A schedule's file, if the schedule is compiled.
std::string idle_schedule_file(const Config& config, const Use& use);
std::string idle_dimensions(const Config& config, const Use& use);
// Keys of the accelerator, if accelerators do not compute.
std::string idle_accelerator(const Config& config, const Use& use);
// Keys of one accelerator model, if the other model is used or accelerators do not compute.
std::string idle_systolic(const Config& config, const Use& use);
std::string idle_array_clock(const Config& config, const Use& use);
// Keys of the tiling of layers, if there are no layers.
std::string idle_tiles(const Config& config, const Use& use);
std::string idle_tiling(const Config& config, const Use& use);
// Computation lost to forwarding, and the memory size.
std::string idle_forwarding(const Config& config, const Use& use);
std::string idle_memory(const Config& config, const Use& use);
// PE latency, which SCALE-Sim does not count, and operand types, which matter only if arrays multiply
// operands.
std::string idle_pe_latency(const Config& config, const Use& use);
std::string idle_operands(const Config& config, const Use& use);
std::string idle_memory_bandwidth(const Config& config, const Use& use);
std::string idle_roofline(const Config& config, const Use& use);
std::string idle_kernels(const Config& config, const Use& use);
// The number of samples per accelerator.
std::string idle_batch(const Config& config, const Use& use);
// The optimizer, if the workload specifies the time of an update.
std::string idle_optimizer(const Config& config, const Use& use);
// Keys of tree algorithms.
std::string idle_trees(const Config& config, const Use& use);
std::string idle_planes(const Config& config, const Use& use);
std::string idle_link(const Config& config, const Use& use);
// Bandwidths, which compilers use only if they differ; message costs determine only an automatic number of
// chunks.
std::string idle_bandwidth(const Config& config, const Use& use);
// Efficiency, which compilers use if it differs between levels.
std::string idle_efficiency(const Config& config, const Use& use);
std::string idle_latency(const Config& config, const Use& use);
std::string idle_message_time(const Config& config, const Use& use);
// The clock and the flit size.
std::string idle_timing(const Config& config, const Use& use);
std::string idle_router(const Config& config, const Use& use);
std::string idle_buffer(const Config& config, const Use& use);
std::string idle_ni(const Config& config, const Use& use);
std::string idle_rtl_nodes(const Config& config, const Use& use);
std::string idle_ni_buffer(const Config& config, const Use& use);
std::string idle_payload(const Config& config, const Use& use);
std::string idle_reduction_latency(const Config& config, const Use& use);
std::string idle_reduction_rate(const Config& config, const Use& use);
std::string idle_seed(const Config& config, const Use& use);
// Energies, if there is no technology.
std::string idle_energies(const Config& config, const Use& use);
std::string idle_observation(const Config& config, const Use& use);

}  // namespace coppice::config
