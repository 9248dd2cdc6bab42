#include "config/keys/idle_keys.h"

#include "config/settings/lone_collective_config.h"
#include "config/settings/shape.h"
#include "schedule/compile/compiler.h"

#include <algorithm>

#include <fmt/format.h>

namespace coppice::config {
namespace {

constexpr const char* kAlone = "a single accelerator sends nothing";

// The algorithm chooses how many chunks there are by what a message costs.
bool chooses_chunks(const Config& config) {
  if (config.collective.chunks != schedule::kAutomaticChunks) return false;
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  return algorithm != nullptr && algorithm->chunking == schedule::Chunking::kChosen &&
         !algorithm->over_dimensions;
}

std::string idle_in_schedule(const Config& config, const Use& use) {
  if (use.purpose != Purpose::kSchedule || chooses_chunks(config)) return "";
  return fmt::format("the schedule of {} does not depend on it", config.collective.algorithm);
}

bool single_accelerator(const Config& config) {
  return count_accelerators(config) == 1;
}

// Whether gradients are real numbers, which the seed draws.
bool carries_values(const Config& config) {
  if (config.check != Check::kAuto) return config.check == Check::kValues;
  return config.collective.size <= kValuesLimit / std::max<std::int64_t>(count_accelerators(config), 1);
}

}  // namespace

std::string idle_untrained(const Config& config, const Use& /*use*/) {
  return config.training.model.empty() ? "nothing is trained" : "";
}

std::string idle_contexts(const Config& config, const Use& /*use*/) {
  return runs_program(config) || !config.training.model.empty() ? ""
                                                                : "a single collective is alone in flight";
}

std::string idle_bucket(const Config& config, const Use& use) {
  const std::string untrained = idle_untrained(config, use);
  if (!untrained.empty() || config.training.overlap == workload::Overlap::kBucketed) return untrained;
  return fmt::format("training.overlap is {}, not bucketed", to_string(config.training.overlap));
}

std::string idle_trace(const Config& config, const Use& /*use*/) {
  return config.program.trace.empty() ? "program.trace is not set" : "";
}

std::string idle_parallel(const Config& config, const Use& /*use*/) {
  return trains_large_model(config) ? "" : "training.parallel lays out no large model";
}

std::string idle_inference(const Config& config, const Use& /*use*/) {
  return runs_inference(config) ? "" : "workload.inference.model names no model";
}

std::string idle_all_gather_bytes(const Config& config, const Use& use) {
  const std::string untrained = idle_untrained(config, use);
  if (!untrained.empty() || trains_text_workload(config)) return untrained;
  return "training.model is a layer table, and only text workloads (.txt) have all-gathers";
}

std::string idle_size(const Config& config, const Use& use) {
  const bool trains = use.purpose == Purpose::kRun && !config.training.model.empty();
  if (use.purpose == Purpose::kRun && runs_program(config) && !runs_lone_collective(config))
    return "a program says what its collectives move";
  return trains ? "the gradients of training.model are reduced" : "";
}

std::string idle_root(const Config& config, const Use& /*use*/) {
  const std::string& op = config.collective.op;
  return op == "broadcast" || op == "reduce" ? "" : "collective.op is " + op + ", which has no root";
}

std::string idle_scheduler(const Config& config, const Use& /*use*/) {
  return runs_over_dimensions(config)
             ? ""
             : config.collective.algorithm + " does not move chunks through dimensions";
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

std::string idle_systolic(const Config& config, const Use& use) {
  const std::string untrained = idle_untrained(config, use);
  if (!untrained.empty() || config.system.accelerator.model == "systolic") return untrained;
  return "system.accelerator.model is roofline";
}

std::string idle_pe_latency(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_systolic(config, use);
  if (!computes_nothing.empty() || config.system.accelerator.convention != "scale_sim")
    return computes_nothing;
  return "system.accelerator.convention is scale_sim, which counts no registers";
}

std::string idle_operands(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_systolic(config, use);
  const AcceleratorConfig& accelerator = config.system.accelerator;
  const bool counts_bytes =
      use.purpose == Purpose::kLayers || accelerator.memory_bandwidth || accelerator.memory;
  if (!computes_nothing.empty() || accelerator.timing == "array" || counts_bytes) return computes_nothing;
  return "no value moves by the formula, and no byte takes time: system.accelerator.timing: array multiplies "
         "values, system.accelerator.memory_bandwidth and memory limit bytes";
}

std::string idle_memory_bandwidth(const Config& config, const Use& use) {
  const std::string computes_nothing = idle_systolic(config, use);
  if (computes_nothing.empty() || use.purpose == Purpose::kLayers) return computes_nothing;
  if (config.system.ni.impl == Implementation::kRtl) {
    return "a network interface in Verilog reads a memory of its own";
  }
  return single_accelerator(config) ? kAlone : "";
}

std::string idle_roofline(const Config& config, const Use& use) {
  const std::string untrained = idle_untrained(config, use);
  if (!untrained.empty() || config.system.accelerator.model == "roofline") return untrained;
  return "system.accelerator.model is systolic: write roofline to use it";
}

std::string idle_optimizer(const Config& config, const Use& use) {
  if (use.purpose == Purpose::kLayers || !trains_text_workload(config)) return "";
  return "a text workload says how long its updates take";
}

std::string idle_trees(const Config& config, const Use& /*use*/) {
  if (places_trees(config)) return "";
  return "the algorithm " + config.collective.algorithm + " has no trees to place";
}

std::string idle_planes(const Config& config, const Use& /*use*/) {
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  if (algorithm == nullptr || algorithm->one_plane || algorithm->chooses_algorithm) return "";
  return "the algorithm " + config.collective.algorithm + " uses the whole network";
}

std::string idle_link(const Config& config, const Use& /*use*/) {
  if (described_by(config, topology::DescribedBy::kDimensions)) {
    return "a hierarchy has links of their own in system.topology.dimensions";
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
                                      : "only chunks in a hierarchy take their turns by it";
}

std::string idle_ni(const Config& config, const Use& /*use*/) {
  return single_accelerator(config) ? kAlone : "";
}

std::string idle_rtl_nodes(const Config& config, const Use& use) {
  if (config.system.ni.impl != Implementation::kRtl) return "system.ni.impl is not rtl";
  return idle_ni(config, use);
}

std::string idle_ni_buffer(const Config& config, const Use& use) {
  if (!config.system.ni.lockstep)
    return "only the lockstep's estimate depends on it, and system.ni.lockstep is off";
  return idle_ni(config, use);
}

std::string idle_payload(const Config& config, const Use& use) {
  if (config.system.ni.flow_control == FlowControl::kMessage)
    return "message-based flow control has no packets";
  return idle_ni(config, use);
}

std::string idle_reduction_latency(const Config& config, const Use& use) {
  if (config.collective.op == "all_gather") return "an all-gather reduces nothing";
  if (config.collective.op == "broadcast") return "a broadcast reduces nothing";
  return idle_ni(config, use);
}

std::string idle_reduction_rate(const Config& config, const Use& use) {
  // The rate is that of the ejection channel, with synthetic traffic too.
  if (config.system.ni.reduction_flits_per_cycle > 1)
    return "a port ejects one flit per cycle at most; write 1";
  return idle_timing(config, use);
}

std::string idle_seed(const Config& config, const Use& use) {
  const bool draws = use.purpose == Purpose::kTraffic || use.purpose == Purpose::kRoute;
  if (draws || carries_values(config)) return "";
  return "it draws the gradients' values, and this check carries none";
}

std::string idle_energies(const Config& config, const Use& /*use*/) {
  return config.hardware.technology.empty() ? "no hardware.technology is named" : "";
}

std::string idle_observation(const Config& /*config*/, const Use& use) {
  return use.records_waves ? "" : "no value change dump (--vcd) is written";
}

}  // namespace coppice::config
