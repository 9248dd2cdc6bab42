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

// Runs a program and its jobs on a network until cycle `stop`, in which a failure happens (0: until the end).
using RunStretch = std::function<nlohmann::ordered_json(const workload::Program&, const std::vector<Job>&,
                                                        const topology::Topology&, Cycles stop)>;

// Runs a program with program.failures. A failure stops the machine: work in progress is lost, and after
// program.restart every job resumes with its first unfinished iteration. A failed link is removed, so that
// messages take other paths and collectives are compiled for the remaining network. A rank whose accelerator
// has failed moves to the first idle accelerator. If there is none, or if the remaining network cannot run a
// job, the job stays unfinished, and the result states the reason. If no rank runs on a failed accelerator,
// nothing stops. Throws ConfigError at the key if a link or accelerator does not exist.
nlohmann::ordered_json run_failing(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const RunStretch& run);

}  // namespace coppice::system
