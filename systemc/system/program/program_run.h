#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/collective/run.h"
#include "system/program/gradient_chain.h"
#include "workload/program.h"

namespace coppice::system {

// The program that the configuration names. Throws ConfigError.
workload::Program load_program(const config::Loaded& loaded);

// Runs a program on the machine, an accelerator per rank, every collective and transfer verified, and returns
// the result ("coppice.result/1" with `iterations`, `collectives` and `accelerators`). Throws as
// run_collective(). Operations of `chain` wait for gradient queues; its all-reduce must have chunks that
// become final one by one. Elaborates a SystemC kernel: at most once per process.
nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain = {});

// For people: of a result of run_program().
std::string summarize_program(const nlohmann::ordered_json& result);

}  // namespace coppice::system
