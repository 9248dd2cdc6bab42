#pragma once

#include <vector>

#include "system/cluster/cluster_plan.h"
#include "system/program/job_programs.h"
#include "workload/program.h"

namespace coppice::system {

// The program of the planned jobs: in each iteration, every rank computes, then all-reduces within its ring.
// Ranks are numbered by job, then by ring, then by position in the ring; each ring is a group.
workload::Program study_program(const std::vector<PlannedJob>& jobs, int iterations);

// The ranks and arrival time of each job in the program that study_program() returns.
std::vector<Job> study_jobs(const std::vector<PlannedJob>& jobs);

}  // namespace coppice::system
