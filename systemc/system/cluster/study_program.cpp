#include "system/cluster/study_program.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace coppice::system {
namespace {

using workload::Program;

// The operations of one rank. The all-reduces of its ring are collectives `first`, `first` + `stride`, ... of
// the program.
workload::RankProgram rank_program(const PlannedJob& job, std::int32_t first, std::int32_t stride,
                                   int iterations) {
  workload::RankProgram rank;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const auto next = static_cast<std::int32_t>(rank.operations.size());
    std::vector<std::int32_t> after;
    if (next > 0) after.push_back(next - 1);
    rank.operations.push_back(
        {"compute", workload::Compute{.duration = job.compute}, std::move(after), iteration});
    rank.operations.push_back({"all_reduce", workload::JoinCollective{first + iteration * stride},
                               std::vector<std::int32_t>(1, next), iteration});
  }
  return rank;
}

void add_job(Program& program, const PlannedJob& job, int number, int iterations) {
  const auto rings = static_cast<std::int32_t>(job.rings.size());
  const auto first_group = static_cast<int>(program.groups.size());
  const auto first_collective = static_cast<std::int32_t>(program.collectives.size());
  for (std::int32_t r = 0; r < rings; ++r) {
    const auto& ring = job.rings[static_cast<std::size_t>(r)];
    workload::RankGroup group{fmt::format("job {} ring {}", number, r), {}};
    for (const topology::NodeId accelerator : ring) {
      group.ranks.push_back(static_cast<int>(program.ranks.size()));
      program.placement.push_back(accelerator);
      program.ranks.push_back(rank_program(job, first_collective + r, rings, iterations));
    }
    program.groups.push_back(std::move(group));
  }
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (std::int32_t r = 0; r < rings; ++r) {
      program.collectives.push_back({.name = fmt::format("{} {}", job.name, iteration),
                                     .op = workload::CollectiveOp::kAllReduce,
                                     .group = first_group + r,
                                     .bytes = job.gradient,
                                     .kind = "data"});
    }
  }
}

}  // namespace

Program study_program(const std::vector<PlannedJob>& jobs, int iterations) {
  Program program;
  program.name = "routing study";
  int number = 0;
  for (const PlannedJob& job : jobs) add_job(program, job, number++, iterations);
  return program;
}

std::vector<Job> study_jobs(const std::vector<PlannedJob>& jobs) {
  std::vector<Job> all;
  int first = 0;
  for (const PlannedJob& job : jobs) {
    all.push_back({job.name, first, job.copy * job.replicas, job.arrival});
    first += job.copy * job.replicas;
  }
  return all;
}

}  // namespace coppice::system
