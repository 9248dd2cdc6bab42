#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "system/program/job_programs.h"
#include "system/program/program_state.h"
#include "topology/topology.h"
#include "workload/program.h"

namespace coppice::system {

// Whether the network interfaces of a program are Verilog.
bool runs_in_verilog(const config::Loaded& loaded);

// [accelerator]: whether its network interface is Verilog. Throws ConfigError if an accelerator of
// system.ni.rtl_nodes does not exist.
std::vector<bool> verilog_accelerators(const config::Loaded& loaded, const topology::Topology& topology);

// Throws ConfigError if the Verilated network interface without contexts (cosim/rtl_network_interface.h)
// cannot run the collective, or does not support the check `verified`.
void require_verilog_runs(const config::Loaded& loaded, const CompiledCollective& alone,
                          const std::string& verified, const topology::Topology& topology, int ni_ports);

// Throws ConfigError if the Verilated network interface with contexts (cosim/rtl_context_interface.h) cannot
// run a program. The error names the responsible key and a remedy. `key`: the configuration key of the
// program.
void require_verilog_runs(const config::Loaded& loaded, const std::string& key,
                          const workload::Program& program, const std::vector<Job>& jobs,
                          const topology::Topology& topology, int ni_ports, const ProgramState& state);

}  // namespace coppice::system
