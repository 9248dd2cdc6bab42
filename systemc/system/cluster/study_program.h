#pragma once

#include <vector>

#include "system/cluster/cluster_plan.h"
#include "system/program/job_programs.h"
#include "workload/program.h"

namespace coppice::system {

// The program of planned jobs: each iteration computes, then all-reduces with the others of its ring. Ranks
// are counted job by job, ring by ring, and along the ring; there is one group per ring.
workload::Program study_program(const std::vector<PlannedJob>& jobs, int iterations);

// The ranks and arrivals of the jobs in that program.
std::vector<Job> study_jobs(const std::vector<PlannedJob>& jobs);

}  // namespace coppice::system
