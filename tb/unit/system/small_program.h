#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/files/program_file.h"
#include "machine.h"
#include "system/machine/build.h"
#include "system/program/compiled_collectives.h"
#include "system/program/job_programs.h"
#include "system/program/program_state.h"

namespace coppice::system {

// A machine for programs, with links of 16 GB/s. Its topology is given in YAML, such as "kind: ring, dims:
// [4]".
class SmallMachine {
 public:
  explicit SmallMachine(const std::string& topology, const std::vector<std::string>& overrides = {}) {
    write("c.yaml", "system:\n  topology: {" + topology + "}\nprogram: {file: p.yaml}\n");
    write("p.yaml", "ranks: 1\noperations: []\n");
    loaded_ = config::load(folder_.file("c.yaml"), overrides, config::Purpose::kRun);
    topology_ = std::make_unique<topology::Topology>(build_topology(loaded_));
    routing_ = build_routing(loaded_, *topology_);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  const config::Loaded& loaded() const { return loaded_; }
  config::Config& config() { return loaded_.config; }
  const topology::Topology& topology() const { return *topology_; }
  const topology::RoutingFunction& routing() const { return *routing_; }
  int ni_ports() const { return resolve_ni_ports(loaded_.config, *topology_); }

 private:
  TemporaryDirectory folder_;
  config::Loaded loaded_;
  std::unique_ptr<topology::Topology> topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
};

// A program that is loaded on a machine but not yet running.
struct SmallProgram {
  SmallProgram(const std::string& topology, const std::string& text,
               const std::vector<std::string>& overrides = {})
      : machine(topology, overrides), compiler(machine.loaded(), machine.topology(), machine.routing()) {
    machine.write("p.yaml", text);
    program = config::read_program_file(machine.file("p.yaml"));
    state = std::make_unique<ProgramState>(machine.loaded(), program,
                                           jobs_of(machine.loaded().config, program), compiler);
  }

  SmallMachine machine;
  CompiledCollectives compiler;
  workload::Program program;
  std::unique_ptr<ProgramState> state;
};

}  // namespace coppice::system
