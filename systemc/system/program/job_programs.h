#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/program.h"

namespace coppice::system {

// A job: the consecutive ranks that one of the merged programs occupies.
struct Job {
  std::string name;
  int first_rank = 0;
  int ranks = 0;
  Femtoseconds arrival = 0;  // the earliest time at which its operations may start
};

// Merges the programs of program.jobs into one. Its first groups are the jobs. Throws ConfigError at the key
// of a job if the number of its accelerators does not match its ranks, if it shares accelerators with another
// job, or if too few accelerators are free.
workload::Program load_jobs(const config::Loaded& loaded);

// The jobs of a program returned by load_jobs(). Any other program is a single job.
std::vector<Job> jobs_of(const config::Config& config, const workload::Program& program);

int iterations_of(const workload::Program& program, const Job& job);

// The part of a program that remains after each job has finished `done` iterations. Ranks and groups stay the
// same.
workload::Program without_iterations(const workload::Program& program, const std::vector<Job>& jobs,
                                     const std::vector<int>& done);

}  // namespace coppice::system
