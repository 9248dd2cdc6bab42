#include "system/program/verilog_program.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "cosim/rtl_context_interface.h"
#include "cosim/rtl_network_interface.h"

namespace coppice::system {
namespace {

using cosim::NiContextsLimits;
using topology::NodeId;

class Refusals {
 public:
  explicit Refusals(const config::Loaded& loaded) : loaded_(loaded) {}

  // Unless `holds` is true, rejects the value of `key` with `what`, which gives the reason and a valid value.
  void unless(bool holds, const char* key, const std::string& what) const {
    if (!holds) refuse(key, "in programs, Verilog network interfaces (system.ni.impl: rtl) " + what);
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    throw ConfigError(loaded_.place(key), fmt::format("{}: {}", key, what));
  }

 private:
  const config::Loaded& loaded_;
};

void require_settings(const Refusals& refusals, const config::Config& config, const std::vector<Job>& jobs) {
  const config::NiConfig& ni = config.system.ni;
  refusals.unless(ni.rtl_nodes.empty(), "system.ni.rtl_nodes",
                  "must be used at all accelerators or at none: write all");
  refusals.unless(ni.contexts <= NiContextsLimits::kContexts, "system.ni.contexts",
                  fmt::format("have {0} contexts: write at most {0}", NiContextsLimits::kContexts));
  refusals.unless(ni.early_messages == config::EarlyMessages::kAdded, "system.ni.early_messages",
                  "add messages as they arrive: write added");
  refusals.unless(ni.table_load >= 2, "system.ni.table_load",
                  "load one table line per cycle and start one cycle after the last line: write at least 2");
  refusals.unless(!config.system.accelerator.memory_bandwidth, "system.accelerator.memory_bandwidth",
                  "have their own memory, which keeps up with all ports: leave it out");
  refusals.unless(config.program.failures.empty(), "program.failures", "cannot fail: leave it out");
  const bool at_once = std::ranges::all_of(jobs, [](const Job& job) { return job.arrival == 0; });
  refusals.unless(at_once, "program.jobs",
                  "get their first tables before the simulation begins: leave `arrival` out");
}

void require_exchanges(const Refusals& refusals, const config::Config& config, const std::string& key,
                       const workload::Program& program, const ProgramState& state) {
  if (!program.transfers.empty()) {
    refusals.refuse(key,
                    fmt::format("'{}' is a message from one rank to another, but Verilog network interfaces "
                                "(system.ni.impl: rtl) have contexts only for collectives: write systemc",
                                program.transfers.front().name));
  }
  if (state.adding()) {
    refusals.refuse(key,
                    "the program reduces in switches, which Verilog (system.ni.impl: rtl) does not support: "
                    "write systemc");
  }
  constexpr int kMost = 1 << (NiContextsLimits::kPriorityBits - 1);
  for (const workload::GroupCollective& collective : program.collectives) {
    if (collective.op == workload::CollectiveOp::kAllToAll && config.check != config::Check::kOff) {
      refusals.refuse(
          key, fmt::format("'{}' is an all-to-all, which is verified by marks on its blocks, but Verilog "
                           "network interfaces (system.ni.impl: rtl) carry only numbers: write check: off",
                           collective.name));
    }
    if (collective.priority >= kMost || collective.priority < -kMost) {
      refusals.refuse(key, fmt::format("'{}' has priority {}, but Verilog network interfaces support only "
                                       "priorities from {} to {}: change the priority",
                                       collective.name, collective.priority, -kMost, kMost - 1));
    }
  }
  refusals.unless(std::string_view(state.verified()) != "contributions", "check",
                  "carry numbers, not contributions: write values or off");
}

void require_tables(const Refusals& refusals, const config::Config& config, const std::string& key,
                    const workload::Program& program, const topology::Topology& topology,
                    const ProgramState& state) {
  std::map<NodeId, Bytes> buffers;
  for (ni::ContextId id = 1; id <= program.collectives.size(); ++id) {
    const CompiledCollective* const compiled = state.exchange(id).compiled;
    if (compiled == nullptr) continue;
    const std::string& name = program.collectives[id - 1].name;
    const std::string refusal = cosim::refuse_schedule(config.system, compiled->schedule, topology,
                                                       compiled->interfaces, cosim::kContextRoom);
    if (!refusal.empty()) refusals.refuse(key, fmt::format("'{}': {}", name, refusal));
    for (std::size_t member = 0; member < compiled->interfaces.size(); ++member) {
      if (compiled->arrivals[member] >= std::int64_t{1} << NiContextsLimits::kArrivalBits) {
        refusals.refuse(key, fmt::format("'{}' has {} messages to accelerator {}, but Verilog network "
                                         "interfaces count at most 65535: use fewer chunks",
                                         name, compiled->arrivals[member], compiled->interfaces[member]));
      }
      Bytes& all = buffers[compiled->interfaces[member]];
      all += compiled->schedule.size + cosim::kLanes * 4;
      if (all > cosim::BufferMap::kReach) {
        refusals.refuse(
            key,
            fmt::format(
                "accelerator {} needs buffers of {} in total for its collectives up to and including '{}', "
                "but Verilog network interfaces can address only {}: use smaller collectives",
                compiled->interfaces[member], format_bytes(all), name,
                format_bytes(cosim::BufferMap::kReach)));
      }
    }
  }
}

}  // namespace

bool runs_in_verilog(const config::Loaded& loaded) {
  return loaded.config.system.ni.impl == config::Implementation::kRtl;
}

std::vector<bool> verilog_accelerators(const config::Loaded& loaded, const topology::Topology& topology) {
  const auto accelerators = static_cast<std::size_t>(topology.num_accelerators());
  const config::NiConfig& ni = loaded.config.system.ni;
  if (!runs_in_verilog(loaded)) return std::vector<bool>(accelerators, false);
  std::vector<bool> chosen(accelerators, ni.rtl_nodes.empty());
  for (const int node : ni.rtl_nodes) {
    if (node >= topology.num_accelerators()) {
      throw ConfigError(
          loaded.place("system.ni.rtl_nodes"),
          fmt::format("system.ni.rtl_nodes: accelerator {} does not exist: {} has accelerators 0 to {}", node,
                      topology.name(), accelerators - 1));
    }
    chosen[static_cast<std::size_t>(node)] = true;
  }
  return chosen;
}

void require_verilog_runs(const config::Loaded& loaded, const CompiledCollective& alone,
                          const std::string& verified, const topology::Topology& topology, int ni_ports) {
  const std::string refusal = cosim::refuse_ni(loaded.config.system, alone.schedule, topology, ni_ports);
  if (!refusal.empty()) throw ConfigError(loaded.place("system.ni.impl"), "system.ni.impl: " + refusal);
  if (verified == "contributions") {
    throw ConfigError(
        loaded.place("check"),
        "check: the Verilog network interface carries numbers, not contributions: write values or off");
  }
}

void require_verilog_runs(const config::Loaded& loaded, const std::string& key,
                          const workload::Program& program, const std::vector<Job>& jobs,
                          const topology::Topology& topology, int ni_ports, const ProgramState& state) {
  const Refusals refusals(loaded);
  const std::string settings = cosim::refuse_ni_settings(loaded.config.system, topology, ni_ports);
  if (!settings.empty()) refusals.refuse("system.ni.impl", settings);
  require_settings(refusals, loaded.config, jobs);
  require_exchanges(refusals, loaded.config, key, program, state);
  require_tables(refusals, loaded.config, key, program, topology, state);
}

}  // namespace coppice::system
