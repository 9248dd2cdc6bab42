#include "system/program/job_programs.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "config/files/program_file.h"
#include "system/machine/build.h"

namespace coppice::system {
namespace {

using workload::Operation;
using workload::Program;

// Builds one program from the programs of several jobs.
class Joiner {
 public:
  Joiner(const config::Loaded& loaded, int accelerators) : loaded_(loaded), accelerators_(accelerators) {
    for (const config::ProgramJobConfig& job : loaded.config.program.jobs) {
      made_.groups.push_back({job.name, {}});
    }
  }

  void add(std::size_t number) {
    const config::ProgramJobConfig& job = loaded_.config.program.jobs[number];
    Program program = config::read_program_file(job.file);
    const auto first_rank = static_cast<int>(made_.ranks.size());
    const auto first_group = static_cast<int>(made_.groups.size());
    const auto first_collective = static_cast<std::int32_t>(made_.collectives.size());
    const auto first_transfer = static_cast<std::int32_t>(made_.transfers.size());
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      made_.groups[number].ranks.push_back(first_rank + static_cast<int>(rank));
    }
    place(job, program, fmt::format("program.jobs[{}]", number));
    for (workload::RankGroup& group : program.groups) {
      group.name = job.name + ": " + group.name;
      for (int& rank : group.ranks) rank += first_rank;
      made_.groups.push_back(std::move(group));
    }
    for (workload::GroupCollective& collective : program.collectives) {
      collective.name = job.name + ": " + collective.name;
      collective.group += first_group;
      made_.collectives.push_back(std::move(collective));
    }
    for (workload::Transfer& transfer : program.transfers) {
      transfer.name = job.name + ": " + transfer.name;
      transfer.source += first_rank;
      transfer.destination += first_rank;
      made_.transfers.push_back(std::move(transfer));
    }
    for (workload::RankProgram& rank : program.ranks) {
      for (Operation& operation : rank.operations) {
        if (auto* join = std::get_if<workload::JoinCollective>(&operation.work)) {
          join->collective += first_collective;
        } else if (auto* send = std::get_if<workload::Send>(&operation.work)) {
          send->transfer += first_transfer;
        } else if (auto* receive = std::get_if<workload::Receive>(&operation.work)) {
          receive->transfer += first_transfer;
        }
      }
      made_.ranks.push_back(std::move(rank));
    }
  }

  Program take() { return std::move(made_); }

 private:
  // Chooses a job's accelerators: the job's own list if there is one, otherwise the placement of its program,
  // otherwise the first free accelerators.
  void place(const config::ProgramJobConfig& job, const Program& program, const std::string& key) {
    std::vector<int> chosen = job.accelerators.empty() ? program.placement : job.accelerators;
    if (chosen.empty()) {
      for (int at = 0; at < accelerators_ && chosen.size() < program.ranks.size(); ++at) {
        if (!taken_.contains(at)) chosen.push_back(at);
      }
    }
    const auto refuse = [&](const std::string& what) {
      throw ConfigError(loaded_.place("program.jobs"), fmt::format("{}: {}", key, what));
    };
    if (chosen.size() != program.ranks.size()) {
      refuse(fmt::format("{} has {} ranks, but {} accelerators are available to them", job.file,
                         program.ranks.size(), chosen.size()));
    }
    for (const int at : chosen) {
      if (at >= accelerators_) {
        refuse(fmt::format("accelerator {} does not exist: the accelerators are 0 to {}", at,
                           accelerators_ - 1));
      }
      if (!taken_.insert(at).second)
        refuse(fmt::format("accelerator {} already has a rank: choose another one", at));
      made_.placement.push_back(at);
    }
  }

  const config::Loaded& loaded_;
  int accelerators_;
  Program made_;
  std::set<int> taken_;
};

// Assigns consecutive new indices to the old ones that are still in use.
class Renumbering {
 public:
  explicit Renumbering(std::size_t count) : numbers_(count, -1) {}
  std::int32_t use(std::int32_t number) {
    auto& kept = numbers_[static_cast<std::size_t>(number)];
    if (kept < 0) {
      kept = static_cast<std::int32_t>(order_.size());
      order_.push_back(number);
    }
    return kept;
  }
  template <typename Item>
  std::vector<Item> apply(const std::vector<Item>& items) const {
    std::vector<Item> left;
    for (const std::int32_t number : order_) left.push_back(items[static_cast<std::size_t>(number)]);
    return left;
  }

 private:
  std::vector<std::int32_t> numbers_;
  std::vector<std::int32_t> order_;
};

}  // namespace

Program load_jobs(const config::Loaded& loaded) {
  Joiner joiner(loaded, build_topology(loaded).num_accelerators());
  const std::size_t jobs = loaded.config.program.jobs.size();
  for (std::size_t job = 0; job < jobs; ++job) joiner.add(job);
  Program program = joiner.take();
  program.name = jobs == 1 ? "1 job" : fmt::format("{} jobs", jobs);
  return program;
}

std::vector<Job> jobs_of(const config::Config& config, const Program& program) {
  std::vector<Job> jobs;
  for (std::size_t job = 0; job < config.program.jobs.size(); ++job) {
    const std::vector<int>& ranks = program.groups[job].ranks;
    jobs.push_back({config.program.jobs[job].name, ranks.front(), static_cast<int>(ranks.size()),
                    config.program.jobs[job].arrival});
  }
  if (!jobs.empty()) return jobs;
  return {{program.name.empty() ? "program" : program.name, 0, static_cast<int>(program.ranks.size()), 0}};
}

int iterations_of(const Program& program, const Job& job) {
  int most = 0;
  for (int rank = job.first_rank; rank < job.first_rank + job.ranks; ++rank) {
    for (const Operation& operation : program.ranks[static_cast<std::size_t>(rank)].operations) {
      most = std::max(most, operation.iteration + 1);
    }
  }
  return most;
}

Program without_iterations(const Program& program, const std::vector<Job>& jobs,
                           const std::vector<int>& done) {
  Program left = program;
  Renumbering collectives(program.collectives.size());
  Renumbering transfers(program.transfers.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (int number = jobs[j].first_rank; number < jobs[j].first_rank + jobs[j].ranks; ++number) {
      auto& rank = left.ranks[static_cast<std::size_t>(number)];
      std::vector<std::int32_t> kept(rank.operations.size(), -1);
      std::vector<Operation> operations;
      for (std::size_t i = 0; i < rank.operations.size(); ++i) {
        if (rank.operations[i].iteration < done[j]) continue;
        kept[i] = static_cast<std::int32_t>(operations.size());
        operations.push_back(std::move(rank.operations[i]));
      }
      for (Operation& operation : operations) {
        std::vector<std::int32_t> after;
        for (const std::int32_t before : operation.after) {
          if (kept[static_cast<std::size_t>(before)] >= 0)
            after.push_back(kept[static_cast<std::size_t>(before)]);
        }
        operation.after = std::move(after);
        if (auto* join = std::get_if<workload::JoinCollective>(&operation.work)) {
          join->collective = collectives.use(join->collective);
        } else if (auto* send = std::get_if<workload::Send>(&operation.work)) {
          send->transfer = transfers.use(send->transfer);
        } else if (auto* receive = std::get_if<workload::Receive>(&operation.work)) {
          receive->transfer = transfers.use(receive->transfer);
        }
      }
      rank.operations = std::move(operations);
    }
  }
  left.collectives = collectives.apply(program.collectives);
  left.transfers = transfers.apply(program.transfers);
  return left;
}

}  // namespace coppice::system
