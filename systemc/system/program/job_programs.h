#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/program.h"

namespace coppice::system {

// An independent part of a program: the ranks of one of the merged programs.
struct Job {
  std::string name;
  int first_rank = 0;
  int ranks = 0;
  Femtoseconds arrival = 0;  // earliest start of its operations
};

// Merges the programs of program.jobs into one, whose first groups are the jobs. Throws ConfigError at the
// key of a job that has too few or too many accelerators, shares accelerators with another job, or finds too
// few free ones.
workload::Program load_jobs(const config::Loaded& loaded);

// The jobs of a program from load_jobs(); for any other program, a single job.
std::vector<Job> jobs_of(const config::Config& config, const workload::Program& program);

int iterations_of(const workload::Program& program, const Job& job);

// The remainder of a program after `done` iterations of each job, with the same ranks and groups.
workload::Program without_iterations(const workload::Program& program, const std::vector<Job>& jobs,
                                     const std::vector<int>& done);

}  // namespace coppice::system
