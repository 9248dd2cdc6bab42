#pragma once

#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"
#include "system/program/job_programs.h"
#include "topology/topology.h"
#include "workload/program.h"

namespace coppice::system {

// Runs a stretch without failures: a program and its jobs on a network, up to a cycle if that is above 0.
using RunStretch = std::function<nlohmann::ordered_json(const workload::Program&, const std::vector<Job>&,
                                                        const topology::Topology&, Cycles stop)>;

// A run in which program.failures happen. A failure stops the machine: work in progress is lost, and
// program.restart later every job resumes from the first iteration that had not ended. A failed link is left
// out, so that messages take other paths and collectives are compiled for the remaining network. A rank whose
// accelerator has failed moves to the first idle accelerator. If the network does not support a job, or no
// accelerator is idle, the job stays unfinished, and the result names it and the reason. An accelerator that
// fails while it has no rank stops nothing. Throws ConfigError at the key for a link or accelerator that does
// not exist.
nlohmann::ordered_json run_failing(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const RunStretch& run);

}  // namespace coppice::system
