#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "system/program/job_programs.h"
#include "system/program/program_state.h"
#include "topology/topology.h"
#include "workload/program.h"

namespace coppice::system {

// Whether a program's network interfaces are Verilog.
bool runs_in_verilog(const config::Loaded& loaded);

// [accelerator]: whether its network interface is Verilog. Throws ConfigError for system.ni.rtl_nodes that do
// not exist.
std::vector<bool> verilog_accelerators(const config::Loaded& loaded, const topology::Topology& topology);

// Throws ConfigError if the Verilated network interface without contexts (cosim/rtl_network_interface.h)
// cannot run a collective that is verified by `verified`.
void require_verilog_runs(const config::Loaded& loaded, const CompiledCollective& alone,
                          const std::string& verified, const topology::Topology& topology, int ni_ports);

// Throws a ConfigError that names the responsible key and a remedy if the Verilated network interface
// (cosim/rtl_context_interface.h) cannot run a program. `key`: the program's configuration key.
void require_verilog_runs(const config::Loaded& loaded, const std::string& key,
                          const workload::Program& program, const std::vector<Job>& jobs,
                          const topology::Topology& topology, int ni_ports, const ProgramState& state);

}  // namespace coppice::system
