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

// A stretch of a run without failures: of a program and its jobs on a network, up to a cycle if that is above
// 0.
using RunStretch = std::function<nlohmann::ordered_json(const workload::Program&, const std::vector<Job>&,
                                                        const topology::Topology&, Cycles stop)>;

// A run in which program.failures happen. What fails stops the machine: what is under way is lost, and
// program.restart later every job resumes from the first iteration that had not ended. A link that has failed
// is left out, so that messages take other ways and collectives are compiled for the network that is left. A
// rank whose accelerator has failed moves to the first that is idle. Where the network does not allow what
// a job asks for, or no accelerator is idle, jobs stay unfinished, and the result says which and why.
// An accelerator that fails while it has no rank stops nothing. Throws ConfigError at the key for a link or
// accelerator that does not exist.
nlohmann::ordered_json run_failing(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const RunStretch& run);

}  // namespace coppice::system
