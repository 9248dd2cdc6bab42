#pragma once

#include <vector>

#include "system/cluster/cluster_plan.h"
#include "system/program/job_programs.h"
#include "workload/program.h"

namespace coppice::system {

// What the accelerators of planned jobs do: so often compute, and then all-reduce with the others of their
// ring. Ranks are counted job by job, ring by ring, and along the ring; so are the groups, one for each ring.
workload::Program study_program(const std::vector<PlannedJob>& jobs, int iterations);

// The ranks and arrivals of the jobs in that program.
std::vector<Job> study_jobs(const std::vector<PlannedJob>& jobs);

}  // namespace coppice::system
