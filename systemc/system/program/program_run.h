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
// returns the result ("coppice.result/1"; with `iterations`, `collectives` and `accelerators` unless the
// configuration is only a collective of all accelerators). Operations of `chain` wait for gradient queues;
// the chunks of the chain's all-reduce must become final individually. Throws ConfigError (bad input found
// during the run), ModelError (the run failed) or Interrupted. Elaborates a SystemC kernel: at most once per
// process.
nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain = {});

// Lists the SystemC hierarchy of the machine for the configured collective, with ports and bindings, one per
// line. Elaborates a SystemC kernel. Throws like run_program().
std::string describe_modules(const config::Loaded& loaded);

// Lists the statistics of these modules; see describe_statistics(). Elaborates a SystemC kernel. Throws like
// run_program().
std::string describe_quantities(const config::Loaded& loaded);

}  // namespace coppice::system
