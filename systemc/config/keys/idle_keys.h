#pragma once

#include <string>

#include "config/keys/key.h"

// Rules for Key::idle. Each returns the reason why the keys that it covers have no effect in a configuration,
// or an empty string if they have an effect.
namespace coppice::config {

std::string idle_untrained(const Config& config, const Use& use);
// For keys that only a single collective uses.
std::string idle_size(const Config& config, const Use& use);
// For keys that only traces use.
std::string idle_trace(const Config& config, const Use& use);
// For keys that only programs use.
std::string idle_contexts(const Config& config, const Use& use);
std::string idle_jitter(const Config& config, const Use& use);
// For keys that choose how a program's collectives with operation `op` run; they have no effect without such
// collectives.
std::string idle_choice(const Config& config, workload::CollectiveOp op);
std::string idle_chunks(const Config& config, workload::CollectiveOp op);
std::string idle_op(const Config& config, const Use& use);
// For keys about the copies of a model, for the state that the copies shard, and for the exchange of data
// between context-parallel ranks.
std::string idle_copies(const Config& config, const Use& use);
std::string idle_zero(const Config& config, const Use& use);
std::string idle_exchange(const Config& config, const Use& use);
// For the size of buckets, which has no effect unless gradients are reduced in buckets.
std::string idle_bucket(const Config& config, const Use& use);
// For keys that only the training of large models uses.
std::string idle_parallel(const Config& config, const Use& use);
// For keys that only the inference of a large model uses.
std::string idle_inference(const Config& config, const Use& use);
// For keys that only text workloads use.
std::string idle_all_gather_bytes(const Config& config, const Use& use);
// For the root, which has no effect on a collective without a root.
std::string idle_root(const Config& config, const Use& use);
// For dims, which only some kinds of network have, and for the graph file, which only the kind `file` reads.
std::string idle_dims(const Config& config, const Use& use);
std::string idle_file(const Config& config, const Use& use);
// For keys that determine how chunks move through dimensions.
std::string idle_scheduler(const Config& config, const Use& use);
// For the clock, and for durations in cycles.
std::string idle_clock(const Config& config, const Use& use);
std::string idle_delay(const Config& config, const Use& use);
// For the file of a schedule, which has no effect if the schedule is compiled.
std::string idle_schedule_file(const Config& config, const Use& use);
std::string idle_dimensions(const Config& config, const Use& use);
// For keys of the accelerator, which have no effect if accelerators do not compute.
std::string idle_accelerator(const Config& config, const Use& use);
// For keys of one accelerator model, which have no effect if the other model is used or accelerators do not
// compute.
std::string idle_systolic(const Config& config, const Use& use);
std::string idle_array_clock(const Config& config, const Use& use);
// For keys about the tiling of layers, which have no effect without layers.
std::string idle_tiles(const Config& config, const Use& use);
std::string idle_tiling(const Config& config, const Use& use);
// For the compute time that is lost to forwarding, and for the memory size.
std::string idle_forwarding(const Config& config, const Use& use);
std::string idle_memory(const Config& config, const Use& use);
// For the PE latency, which SCALE-Sim does not count, and for operand types, which matter only if arrays move
// operands or if memory accesses take time.
std::string idle_pe_latency(const Config& config, const Use& use);
std::string idle_operands(const Config& config, const Use& use);
std::string idle_memory_bandwidth(const Config& config, const Use& use);
std::string idle_roofline(const Config& config, const Use& use);
std::string idle_kernels(const Config& config, const Use& use);
// For the number of samples per accelerator.
std::string idle_batch(const Config& config, const Use& use);
// For the optimizer, which has no effect if the workload specifies the time of an update.
std::string idle_optimizer(const Config& config, const Use& use);
// For keys that only tree algorithms use.
std::string idle_trees(const Config& config, const Use& use);
std::string idle_planes(const Config& config, const Use& use);
std::string idle_link(const Config& config, const Use& use);
// For the bandwidths of links. If a command only compiles a schedule, they have an effect only if a list sets
// them, or if the number of chunks is chosen automatically.
std::string idle_bandwidth(const Config& config, const Use& use);
// For the efficiency of links, which has an effect on a schedule under the same conditions.
std::string idle_efficiency(const Config& config, const Use& use);
std::string idle_latency(const Config& config, const Use& use);
std::string idle_message_time(const Config& config, const Use& use);
// For the clock and the flit size, which have no effect on a single accelerator.
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
// For the file of energies, which has no effect unless a technology is set.
std::string idle_energies(const Config& config, const Use& use);
std::string idle_observation(const Config& config, const Use& use);

}  // namespace coppice::config
