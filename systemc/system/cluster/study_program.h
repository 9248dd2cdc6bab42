#pragma once

#include <vector>

#include "system/cluster/cluster_plan.h"
#include "system/program/job_programs.h"
#include "workload/program.h"

namespace coppice::system {

// The program of the planned jobs: in each iteration, a rank computes, then all-reduces within its ring.
// Ranks are numbered by job, then by ring, then along the ring; each ring is a group.
workload::Program study_program(const std::vector<PlannedJob>& jobs, int iterations);

// The jobs' ranks and arrivals in the program of study_program().
std::vector<Job> study_jobs(const std::vector<PlannedJob>& jobs);

}  // namespace coppice::system
