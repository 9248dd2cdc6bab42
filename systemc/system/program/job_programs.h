#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/program.h"

namespace coppice::system {

// An independent part of a program: ranks that were a separate program.
struct Job {
  std::string name;
  int first_rank = 0;
  int ranks = 0;
  Femtoseconds arrival = 0;  // none of its operations begins earlier
};

// The programs of program.jobs merged into one, whose first groups are the jobs. Throws ConfigError at the
// key for a job with too few or too many accelerators, with accelerators of another job, or without any left.
workload::Program load_jobs(const config::Loaded& loaded);

// The jobs of a program of load_jobs(); for any other program, a single job.
std::vector<Job> jobs_of(const config::Config& config, const workload::Program& program);

// The number of iterations of a job.
int iterations_of(const workload::Program& program, const Job& job);

// The rest of a program after the given number of iterations of each job: the same ranks and groups.
workload::Program without_iterations(const workload::Program& program, const std::vector<Job>& jobs,
                                     const std::vector<int>& done);

}  // namespace coppice::system
