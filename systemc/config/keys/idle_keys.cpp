#include "config/keys/idle_keys.h"

#include "config/settings/shape.h"
#include "schedule/compile/compiler.h"

#include <algorithm>

#include <fmt/format.h>

namespace coppice::config {
namespace {

using workload::CollectiveOp;

constexpr const char* kAlone = "a single accelerator sends no data";

// Whether the algorithm chooses the number of chunks, which depends on the cost of messages.
bool chooses_chunks(const Config& config) {
  if (config.collective.chunks != schedule::kAutomaticChunks) return false;
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  return algorithm != nullptr && algorithm->chunking == schedule::Chunking::kChosen &&
         !algorithm->over_dimensions;
}

std::string idle_in_schedule(const Config& config, const Use& use) {
  if (use.purpose != Purpose::kSchedule || chooses_chunks(config)) return "";
  return fmt::format("the schedule of {} does not depend on this", config.collective.algorithm);
}

bool single_accelerator(const Config& config) {
  return count_accelerators(config) == 1;
}

// Whether a collective of the run may use an algorithm for which `kind` holds. If a program does not set the
// algorithm, the hierarchical one may be used.
template <typename Kind>
bool may_run(const Config& config, Kind kind) {
  const auto by = [&](const std::string& name) {
    const schedule::AlgorithmInfo* const algorithm = schedule::find_algorithm(name);
    return algorithm != nullptr && (algorithm->chooses_algorithm || kind(*algorithm));
  };
  if (by(config.collective.algorithm)) return true;
  if (!runs_program(config)) return false;
  const bool by_name = std::ranges::any_of(config.program.collectives,
                                           [&](const auto& choice) { return by(choice.second.algorithm); });
  return by_name || (config.collective.algorithm.empty() && kind(*schedule::find_algorithm("hierarchical")));
}

// Returns a reason if memory accesses take no time because neither the memory's bandwidth nor its size is
// limited.
std::string idle_bytes(const Config& config, const Use& use) {
  const AcceleratorConfig& accelerator = config.system.accelerator;
  if (use.purpose == Purpose::kLayers || accelerator.model != "systolic" || accelerator.memory_bandwidth ||
      accelerator.memory)
    return "";
  return "memory accesses take no time unless system.accelerator.memory_bandwidth or "
         "system.accelerator.memory is set";
}

// Whether gradients carry values, which are random numbers that depend on the seed.
bool carries_values(const Config& config) {
  if (config.check != Check::kAuto) return config.check == Check::kValues;
  return config.collective.size <= kValuesLimit / std::max<std::int64_t>(count_accelerators(config), 1);
}

}  // namespace

std::string idle_untrained(const Config& config, const Use& /*use*/) {
  if (!config.training.model.empty() || runs_inference(config)) return "";
  return work_of(config) == Work::kProgram ? "the program specifies all computations" : "no model is trained";
}

std::string idle_contexts(const Config& config, const Use& /*use*/) {
  if (config.system.ni.impl == Implementation::kRtl) return "";
  const Work work = work_of(config);
  if (work == Work::kCollective || work == Work::kGroup) return "only one collective is in flight";
  const workload::Overlap overlap = config.training.overlap;
  const bool one = overlap == workload::Overlap::kNone || overlap == workload::Overlap::kChained;
  return work == Work::kLayers && one ? "a single all-reduce reduces all gradients" : "";
}

std::string idle_jitter(const Config& config, const Use& /*use*/) {
  const Work work = work_of(config);
  return work == Work::kCollective || work == Work::kGroup ? "the accelerators do not compute" : "";
}

std::string idle_choice(const Config& config, CollectiveOp op) {
  const Work work = work_of(config);
  if (work == Work::kCollective)
    return "collective.algorithm and collective.chunks determine how a single collective runs";
  if (work == Work::kGroup && op != config.collective.op)
    return fmt::format("collective.op is {}", to_string(config.collective.op));
  return work == Work::kLayers && op != CollectiveOp::kAllReduce
             ? "training on a layer table uses only all_reduce"
             : "";
}

std::string idle_chunks(const Config& config, CollectiveOp op) {
  if (op == CollectiveOp::kAllToAll) return "an all-to-all moves blocks, not chunks";
  const auto chosen = config.program.collectives.find(op);
  const bool own =
      runs_program(config) && chosen != config.program.collectives.end() && !chosen->second.algorithm.empty();
  const std::string& name = own ? chosen->second.algorithm : config.collective.algorithm;
  const schedule::AlgorithmInfo* const algorithm = schedule::find_algorithm(name);
  const bool open =
      name.empty() ? runs_program(config) : algorithm != nullptr && algorithm->chooses_algorithm;
  return open ? "the automatically chosen algorithm determines the number of its chunks" : "";
}

std::string idle_op(const Config& config, const Use& use) {
  return use.purpose == Purpose::kRun && names_collectives(config) ? "the program specifies its collectives"
                                                                   : "";
}

std::string idle_copies(const Config& config, const Use& use) {
  const std::string untrained = idle_untrained(config, use);
  if (!untrained.empty() || work_of(config) != Work::kLarge) return untrained;
  const workload::ParallelSpec& parallel = config.training.large.parallel;
  return parallel.data * parallel.expert * parallel.context > 1
             ? ""
             : "training.parallel describes a single copy of the weights, whose gradients need no reduction";
}

std::string idle_zero(const Config& config, const Use& use) {
  const std::string idle = idle_parallel(config, use);
  return idle.empty() ? idle_copies(config, use) : idle;
}

std::string idle_exchange(const Config& config, const Use& use) {
  const std::string idle = idle_parallel(config, use);
  if (!idle.empty() || config.training.large.parallel.context > 1) return idle;
  return "training.parallel.context is 1";
}

std::string idle_bucket(const Config& config, const Use& use) {
  const std::string one = idle_copies(config, use);
  if (!one.empty() || config.training.overlap == workload::Overlap::kBucketed) return one;
  return fmt::format("training.overlap is {}, not bucketed", to_string(config.training.overlap));
}

std::string idle_trace(const Config& config, const Use& /*use*/) {
  return config.program.trace.empty() ? "program.trace is not set" : "";
}

std::string idle_parallel(const Config& config, const Use& /*use*/) {
  const Work work = work_of(config);
  if (work == Work::kLarge) return "";
  return work == Work::kText ? "a text workload specifies its own parallelism"
                             : "training.parallel is not set, so no large model is trained";
}

std::string idle_inference(const Config& config, const Use& /*use*/) {
  return runs_inference(config) ? "" : "workload.inference.model is not set";
}

std::string idle_all_gather_bytes(const Config& config, const Use& use) {
  const std::string untrained = idle_untrained(config, use);
  if (!untrained.empty() || trains_text_workload(config)) return untrained;
  return "training.model is a layer table, and only text workloads (.txt) have all-gathers";
}

std::string idle_size(const Config& config, const Use& use) {
  const bool trains = use.purpose == Purpose::kRun && !config.training.model.empty();
  if (use.purpose == Purpose::kRun && names_collectives(config))
    return "the program specifies the sizes of its collectives";
  return trains ? "training.model determines the size of the gradients" : "";
}

std::string idle_root(const Config& config, const Use& /*use*/) {
  const CollectiveOp op = config.collective.op;
  return rooted(op) ? "" : fmt::format("collective.op is {}, which has no root", to_string(op));
}

std::string idle_scheduler(const Config& config, const Use& /*use*/) {
  if (!may_run(config, [](const schedule::AlgorithmInfo& algorithm) { return algorithm.over_dimensions; }))
    return config.collective.algorithm + " does not move chunks through dimensions";
  return described_by(config, topology::DescribedBy::kDimensions) ||
                 described_by(config, topology::DescribedBy::kFile)
             ? ""
             : "a " + config.system.topology.kind + " is not a hierarchy of dimensions";
}

std::string idle_dims(const Config& config, const Use& /*use*/) {
  return has_dims(config) ? "" : "a " + config.system.topology.kind + " has no dims";
}

std::string idle_file(const Config& config, const Use& /*use*/) {
  return described_by(config, topology::DescribedBy::kFile)
             ? ""
             : "a " + config.system.topology.kind + " is not read from a file";
}

std::string idle_schedule_file(const Config& config, const Use& /*use*/) {
  return reads_tables(config) ? ""
                              : fmt::format("the schedule of {} is compiled, not read from a file",
                                            config.collective.algorithm);
}

std::string idle_dimensions(const Config& config, const Use& /*use*/) {
  return described_by(config, topology::DescribedBy::kDimensions)
             ? ""
             : "a " + config.system.topology.kind + " is described by system.topology.dims and system.link";
}

std::string idle_accelerator(const Config& config, const Use& use) {
  const bool computes =
      use.purpose == Purpose::kLayers || computes_layers(config) || computes_by_size(config);
  return computes ? "" : "the accelerators do not compute";
}

std::string idle_systolic(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_accelerator(config, use);
  if (!computes_nothing.empty() || config.system.accelerator.model == "systolic") return computes_nothing;
  return "system.accelerator.model is roofline";
}

std::string idle_array_clock(const Config& config, const Use& use) {
  // The clock also times the memory that the arrays share with the network interface.
  if (config.system.accelerator.memory_bandwidth && idle_memory_bandwidth(config, use).empty()) return "";
  return idle_systolic(config, use);
}

std::string idle_tiles(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_systolic(config, use);
  if (!computes_nothing.empty() || use.purpose == Purpose::kLayers || computes_layers(config))
    return computes_nothing;
  return "work specified in operations and bytes runs at the arrays' peak rate: only the layers of a table "
         "have tiles";
}

std::string idle_tiling(const Config& config, const Use& use) {
  const std::string idle = idle_tiles(config, use);
  return idle.empty() ? idle_bytes(config, use) : idle;
}

std::string idle_forwarding(const Config& config, const Use& /*use*/) {
  return computes_layers(config) ? ""
                                 : "forwarding slows accelerators down only in training on a layer table";
}

std::string idle_memory(const Config& config, const Use& use) {
  const Work work = work_of(config);
  const bool known = use.purpose == Purpose::kLayers || work == Work::kLayers || work == Work::kLarge ||
                     work == Work::kInference;
  return known ? "" : "no workload determines how much data the accelerators store";
}

std::string idle_pe_latency(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_tiles(config, use);
  if (!computes_nothing.empty() || config.system.accelerator.convention != "scale_sim")
    return computes_nothing;
  return "system.accelerator.convention is scale_sim, which ignores these registers";
}

std::string idle_operands(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_tiles(config, use);
  const AcceleratorConfig& accelerator = config.system.accelerator;
  const bool counts_bytes =
      use.purpose == Purpose::kLayers || accelerator.memory_bandwidth || accelerator.memory;
  if (!computes_nothing.empty() || accelerator.timing == "array" || counts_bytes) return computes_nothing;
  return "the formula does not move operands, and memory accesses take no time: write "
         "system.accelerator.timing: array, or set system.accelerator.memory_bandwidth or "
         "system.accelerator.memory";
}

std::string idle_memory_bandwidth(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_systolic(config, use);
  if (computes_nothing.empty() || use.purpose == Purpose::kLayers) return computes_nothing;
  if (config.system.ni.impl == Implementation::kRtl) {
    return "a Verilog network interface has its own memory";
  }
  return single_accelerator(config) ? kAlone : "";
}

std::string idle_roofline(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_accelerator(config, use);
  if (!computes_nothing.empty() || config.system.accelerator.model == "roofline") return computes_nothing;
  return "system.accelerator.model is systolic, not roofline";
}

std::string idle_kernels(const Config& config, const Use& /*use*/) {
  return computes_by_size(config) ? "" : "the run has no named compute operations";
}

std::string idle_optimizer(const Config& config, const Use& use) {
  if (use.purpose == Purpose::kLayers || work_of(config) == Work::kLarge) return "";
  if (computes_layers(config)) return idle_bytes(config, use);
  if (trains_text_workload(config)) return "a text workload specifies the times of its updates";
  return idle_untrained(config, use);
}

std::string idle_batch(const Config& config, const Use& use) {
  if (use.purpose == Purpose::kLayers) return "";
  return idle_untrained(config, use);
}

std::string idle_trees(const Config& config, const Use& /*use*/) {
  if (may_run(config, [](const schedule::AlgorithmInfo& algorithm) { return algorithm.has_tree_placement; }))
    return "";
  return config.collective.algorithm.empty()
             ? "none of the configured algorithms places trees"
             : "the algorithm " + config.collective.algorithm + " does not place trees";
}

std::string idle_planes(const Config& config, const Use& /*use*/) {
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  if (algorithm == nullptr || algorithm->one_plane || algorithm->chooses_algorithm) return "";
  return "the algorithm " + config.collective.algorithm + " uses the whole network";
}

std::string idle_link(const Config& config, const Use& /*use*/) {
  if (described_by(config, topology::DescribedBy::kDimensions)) {
    return "the links of a hierarchy are set in system.topology.dimensions";
  }
  return single_accelerator(config) ? "a single accelerator has no links" : "";
}

std::string idle_bandwidth(const Config& config, const Use& use) {
  const std::string idle = idle_link(config, use);
  if (!idle.empty() || config.system.link.bandwidth.size() > 1) return idle;
  return idle_in_schedule(config, use);
}

std::string idle_efficiency(const Config& config, const Use& use) {
  if (single_accelerator(config)) return "a single accelerator has no links";
  return config.system.link.efficiency.size() > 1 ? "" : idle_in_schedule(config, use);
}

std::string idle_latency(const Config& config, const Use& use) {
  const std::string idle = idle_link(config, use);
  return idle.empty() ? idle_in_schedule(config, use) : idle;
}

std::string idle_message_time(const Config& config, const Use& use) {
  const std::string idle = idle_ni(config, use);
  return idle.empty() ? idle_in_schedule(config, use) : idle;
}

std::string idle_timing(const Config& config, const Use& use) {
  return use.purpose == Purpose::kRun && single_accelerator(config) ? kAlone : "";
}

std::string idle_router(const Config& config, const Use& use) {
  return idle_timing(config, use);
}

std::string idle_buffer(const Config& config, const Use& use) {
  const std::string idle = idle_router(config, use);
  return idle.empty() ? idle_in_schedule(config, use) : idle;
}

std::string idle_clock(const Config& config, const Use& use) {
  if (use.purpose == Purpose::kSchedule && !runs_over_dimensions(config)) {
    return idle_in_schedule(config, use);
  }
  return idle_timing(config, use);
}

std::string idle_delay(const Config& config, const Use& use) {
  if (use.purpose != Purpose::kSchedule) return idle_router(config, use);
  return runs_over_dimensions(config) ? idle_timing(config, use)
                                      : "only schedules that order the chunks of a hierarchy depend on this";
}

std::string idle_ni(const Config& config, const Use& /*use*/) {
  return single_accelerator(config) ? kAlone : "";
}

std::string idle_rtl_nodes(const Config& config, const Use& use) {
  if (config.system.ni.impl != Implementation::kRtl) return "system.ni.impl is not rtl";
  return idle_ni(config, use);
}

std::string idle_ni_buffer(const Config& config, const Use& use) {
  if (!config.system.ni.lockstep) return "only the lockstep depends on this, and system.ni.lockstep is off";
  return idle_ni(config, use);
}

std::string idle_payload(const Config& config, const Use& use) {
  if (config.system.ni.flow_control == FlowControl::kMessage)
    return "message-based flow control does not use packets";
  return idle_ni(config, use);
}

std::string idle_reduction_latency(const Config& config, const Use& use) {
  if (names_collectives(config)) return idle_ni(config, use);
  if (config.collective.op == CollectiveOp::kAllToAll) return "an all-to-all does not reduce data";
  if (config.collective.op == CollectiveOp::kAllGather) return "an all-gather does not reduce data";
  if (config.collective.op == CollectiveOp::kBroadcast) return "a broadcast does not reduce data";
  return idle_ni(config, use);
}

std::string idle_reduction_rate(const Config& config, const Use& use) {
  // The rate also limits ejection under synthetic traffic.
  if (config.system.ni.reduction_flits_per_cycle > 1)
    return "a port ejects at most one flit per cycle: write 1";
  return idle_timing(config, use);
}

std::string idle_seed(const Config& config, const Use& use) {
  const bool draws = use.purpose == Purpose::kTraffic || use.purpose == Purpose::kRoute;
  if (draws || carries_values(config)) return "";
  return "it determines only the values of gradients, which this run does not simulate";
}

std::string idle_energies(const Config& config, const Use& /*use*/) {
  return config.hardware.technology.empty() ? "hardware.technology is not set" : "";
}

std::string idle_observation(const Config& /*config*/, const Use& use) {
  return use.records_waves ? "" : "no waveform (--vcd or --fst) is written";
}

}  // namespace coppice::config
