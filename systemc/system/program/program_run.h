#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"
#include "system/program/gradient_chain.h"
#include "workload/program.h"

namespace coppice::system {

// Loads the configured program. Throws ConfigError.
workload::Program load_program(const config::Loaded& loaded);

// Runs a program on the machine, with one accelerator per rank, verifies every collective and transfer, and
// returns the result ("coppice.result/1"). Operations of `chain` wait for gradient queues; the chunks of the
// chain's all-reduce must become final individually. Throws ConfigError (for bad input that is found during
// the run), ModelError (if the run fails) or Interrupted. A process can call this only once, since it
// elaborates a SystemC kernel.
nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain = {});

// Lists the SystemC hierarchy of the machine for the configured collective, one line per module, port or
// binding. Elaborates a SystemC kernel. Throws like run_program().
std::string describe_modules(const config::Loaded& loaded);

// Lists the statistics that these modules count; see describe_statistics(). Elaborates a SystemC kernel.
// Throws like run_program().
std::string describe_quantities(const config::Loaded& loaded);

}  // namespace coppice::system
