#pragma once

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "workload/program.h"

namespace coppice::workload {

// A minimal executor of programs. A rank computes one operation at a time, always the first ready one in
// program order, for the time that `cost` returns. Communication takes no time. Shares no code with the
// simulator.
class ListScheduler {
 public:
  using Cost = std::function<double(const Operation&, const Compute&)>;

  ListScheduler(const Program& program, Cost cost)
      : program_(program),
        cost_(std::move(cost)),
        ranks_(program.ranks.size()),
        at_collective_(program.collectives.size()),
        at_transfer_(program.transfers.size()) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const auto& operations = program.ranks[r].operations;
      ranks_[r].waits.resize(operations.size());
      ranks_[r].followers.resize(operations.size());
      for (std::size_t i = 0; i < operations.size(); ++i) {
        ranks_[r].waits[i] = operations[i].after.size();
        for (const std::int32_t before : operations[i].after) {
          ranks_[r].followers[static_cast<std::size_t>(before)].push_back(i);
        }
      }
      left_ += operations.size();
    }
  }

  // Executes the program. Returns the time at which all operations are done, or -1 if some never become
  // ready.
  double run() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t i = 0; i < ranks_[r].waits.size(); ++i) {
        if (program_.ranks[r].operations[i].after.empty()) make_ready(r, i);
      }
    }
    double now = 0;
    std::set<std::pair<double, std::size_t>> ends;
    while (left_ > 0) {
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        if (rank.busy || rank.ready.empty()) continue;
        rank.busy = true;
        rank.computes = *rank.ready.begin();
        rank.ready.erase(rank.ready.begin());
        const Operation& operation = program_.ranks[r].operations[rank.computes];
        ends.emplace(now + cost_(operation, std::get<Compute>(operation.work)), r);
      }
      if (ends.empty()) return -1;
      const auto [end, r] = *ends.begin();
      ends.erase(ends.begin());
      now = end;
      ranks_[r].busy = false;
      finish(r, ranks_[r].computes);
    }
    return now;
  }

 private:
  struct Rank {
    std::vector<std::size_t> waits;
    std::vector<std::vector<std::size_t>> followers;
    std::set<std::size_t> ready;  // computations that are ready
    bool busy = false;
    std::size_t computes = 0;
  };
  using Ends = std::vector<std::pair<std::size_t, std::size_t>>;

  void make_ready(std::size_t r, std::size_t i) {
    const auto& work = program_.ranks[r].operations[i].work;
    if (std::holds_alternative<Compute>(work)) {
      ranks_[r].ready.insert(i);
    } else if (const auto* join = std::get_if<JoinCollective>(&work)) {
      const auto c = static_cast<std::size_t>(join->collective);
      arrive(at_collective_[c], r, i,
             program_.groups[static_cast<std::size_t>(program_.collectives[c].group)].ranks.size());
    } else if (const auto* send = std::get_if<Send>(&work)) {
      arrive(at_transfer_[static_cast<std::size_t>(send->transfer)], r, i, 2);
    } else if (const auto* receive = std::get_if<Receive>(&work)) {
      arrive(at_transfer_[static_cast<std::size_t>(receive->transfer)], r, i, 2);
    } else {
      finish(r, i);
    }
  }

  void arrive(Ends& there, std::size_t r, std::size_t i, std::size_t needed) {
    there.emplace_back(r, i);
    if (there.size() < needed) return;
    const Ends all = std::move(there);
    for (const auto& [rank, operation] : all) finish(rank, operation);
  }

  void finish(std::size_t r, std::size_t i) {
    --left_;
    for (const std::size_t next : ranks_[r].followers[i]) {
      if (--ranks_[r].waits[next] == 0) make_ready(r, next);
    }
  }

  const Program& program_;
  Cost cost_;
  std::vector<Rank> ranks_;
  std::vector<Ends> at_collective_;
  std::vector<Ends> at_transfer_;
  std::size_t left_ = 0;
};

}  // namespace coppice::workload
