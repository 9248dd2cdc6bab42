#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"
#include "system/program/gradient_chain.h"
#include "workload/program.h"

namespace coppice::system {

// The program named by the configuration. Throws ConfigError.
workload::Program load_program(const config::Loaded& loaded);

// Runs a program on the machine, an accelerator per rank, with every collective and transfer verified, and
// returns the result ("coppice.result/1"; with `iterations`, `collectives` and `accelerators` unless the
// configuration is only a collective of all accelerators). Throws ConfigError (bad input found during the
// run), ModelError (the run failed), Interrupted. Operations of `chain` wait for gradient queues; the chain's
// all-reduce must have chunks that become final one by one. Elaborates a SystemC kernel: at most once per
// process.
nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain = {});

// The SystemC hierarchy of the machine that would run the configuration's collective, with its ports and
// bindings, one per line. Elaborates a SystemC kernel. Throws as run_program().
std::string describe_modules(const config::Loaded& loaded);

// Describes the statistics of those modules: describe_statistics(). Elaborates a SystemC kernel. Throws as
// run_program().
std::string describe_quantities(const config::Loaded& loaded);

}  // namespace coppice::system
