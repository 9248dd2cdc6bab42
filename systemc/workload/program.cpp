#include "workload/program.h"

#include <algorithm>
#include <queue>
#include <set>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::workload {
namespace {

// Checks the parts of a program one by one. Messages about operations name the rank and the operation.
class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}

  void check() {
    check_placement();
    if (program_.samples < 1) throw UnsupportedError("the program's passes have no samples");
    for (const RankGroup& group : program_.groups) check_group(group);
    for (const GroupCollective& collective : program_.collectives) check_collective(collective);
    for (const Transfer& transfer : program_.transfers) check_transfer(transfer);
    joined_.resize(program_.collectives.size());
    sent_.assign(program_.transfers.size(), 0);
    received_.assign(program_.transfers.size(), 0);
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) check_rank(static_cast<int>(rank));
    check_partners();
  }

 private:
  void check_placement() const {
    if (program_.ranks.empty()) throw UnsupportedError("the program has no ranks: it needs at least one");
    if (program_.placement.empty()) return;
    if (program_.placement.size() != program_.ranks.size()) {
      throw UnsupportedError(fmt::format("the placement lists {} accelerators for {} ranks",
                                         program_.placement.size(), program_.ranks.size()));
    }
    std::set<int> taken;
    for (std::size_t rank = 0; rank < program_.placement.size(); ++rank) {
      if (!taken.insert(program_.placement[rank]).second) {
        throw UnsupportedError(fmt::format("rank {} is placed on accelerator {}, which already has a rank",
                                           rank, program_.placement[rank]));
      }
    }
  }

  void check_rank_exists(const std::string& what, int rank) const {
    if (rank >= 0 && static_cast<std::size_t>(rank) < program_.ranks.size()) return;
    throw UnsupportedError(fmt::format("{} names rank {}, but the program has ranks 0 to {}", what, rank,
                                       program_.ranks.size() - 1));
  }

  void check_group(const RankGroup& group) const {
    const std::string what = fmt::format("group '{}'", group.name);
    if (group.ranks.empty()) throw UnsupportedError(what + " has no ranks: it needs at least one");
    std::set<int> members;
    for (const int rank : group.ranks) {
      check_rank_exists(what, rank);
      if (!members.insert(rank).second)
        throw UnsupportedError(fmt::format("{} lists rank {} twice", what, rank));
    }
  }

  void check_collective(const GroupCollective& collective) const {
    const std::string what = fmt::format("collective '{}'", collective.name);
    if (collective.group < 0 || static_cast<std::size_t>(collective.group) >= program_.groups.size()) {
      throw UnsupportedError(fmt::format("{} uses group {}, but the program has {} groups", what,
                                         collective.group, program_.groups.size()));
    }
    if (collective.bytes < 0)
      throw UnsupportedError(
          fmt::format("{} has {} bytes, but sizes must not be negative", what, collective.bytes));
    const auto size = program_.groups[static_cast<std::size_t>(collective.group)].ranks.size();
    if (collective.root < 0 || static_cast<std::size_t>(collective.root) >= size) {
      throw UnsupportedError(
          fmt::format("{} has root {}, but its group has members 0 to {}", what, collective.root, size - 1));
    }
  }

  void check_transfer(const Transfer& transfer) const {
    const std::string what = fmt::format("transfer '{}'", transfer.name);
    check_rank_exists(what, transfer.source);
    check_rank_exists(what, transfer.destination);
    if (transfer.source == transfer.destination) {
      throw UnsupportedError(fmt::format("{} sends data from rank {} to itself", what, transfer.source));
    }
    if (transfer.bytes < 0)
      throw UnsupportedError(
          fmt::format("{} has {} bytes, but sizes must not be negative", what, transfer.bytes));
  }

  std::string place(int rank, const Operation& operation) const {
    return fmt::format("rank {}, operation '{}'", rank, operation.name);
  }

  void check_rank(int rank) {
    const auto& operations = program_.ranks[static_cast<std::size_t>(rank)].operations;
    std::vector<std::vector<std::size_t>> followers(operations.size());
    std::vector<std::size_t> waits(operations.size(), 0);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      std::visit([&](const auto& work) { check_work(rank, operation, work); }, operation.work);
      for (const std::int32_t before : operation.after) {
        if (before < 0 || static_cast<std::size_t>(before) >= operations.size()) {
          throw UnsupportedError(fmt::format("{} comes after operation {}, but the rank has {} operations",
                                             place(rank, operation), before, operations.size()));
        }
        followers[static_cast<std::size_t>(before)].push_back(i);
        ++waits[i];
      }
    }
    check_acyclic(rank, followers, std::move(waits));
  }

  void check_acyclic(int rank, const std::vector<std::vector<std::size_t>>& followers,
                     std::vector<std::size_t> waits) const {
    std::queue<std::size_t> ready;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i] == 0) ready.push(i);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      for (const std::size_t next : followers[ready.front()]) {
        if (--waits[next] == 0) ready.push(next);
      }
      ready.pop();
    }
    if (done == waits.size()) return;
    const auto stuck = std::ranges::find_if(waits, [](std::size_t left) { return left > 0; });
    const auto& operations = program_.ranks[static_cast<std::size_t>(rank)].operations;
    throw UnsupportedError(
        fmt::format("{} waits for itself through other operations",
                    place(rank, operations[static_cast<std::size_t>(stuck - waits.begin())])));
  }

  void check_work(int rank, const Operation& operation, const Compute& compute) const {
    if (compute.duration < 0 || !(compute.operations >= 0) || !(compute.bytes >= 0)) {
      throw UnsupportedError(place(rank, operation) + " has a negative size");
    }
    if (compute.layer < 0) return;
    if (static_cast<std::size_t>(compute.layer) >= program_.layers.size()) {
      throw UnsupportedError(fmt::format("{} is a pass over layer {}, but the program has {} layers",
                                         place(rank, operation), compute.layer, program_.layers.size()));
    }
    if (compute.purpose != Purpose::kOther) return;
    throw UnsupportedError(place(rank, operation) + " is a pass over a layer, but does not state which pass");
  }

  void check_work(int rank, const Operation& operation, const MemoryAccess& access) const {
    if (access.bytes < 0) throw UnsupportedError(place(rank, operation) + " has a negative size");
  }

  void check_work(int rank, const Operation& operation, const JoinCollective& join) {
    const auto index = static_cast<std::size_t>(join.collective);
    if (join.collective < 0 || index >= program_.collectives.size()) {
      throw UnsupportedError(fmt::format("{} joins collective {}, but the program has {} collectives",
                                         place(rank, operation), join.collective,
                                         program_.collectives.size()));
    }
    const GroupCollective& collective = program_.collectives[index];
    const RankGroup& group = program_.groups[static_cast<std::size_t>(collective.group)];
    if (std::ranges::find(group.ranks, rank) == group.ranks.end()) {
      throw UnsupportedError(fmt::format("{} joins '{}' of group '{}', which does not contain the rank",
                                         place(rank, operation), collective.name, group.name));
    }
    if (!joined_[index].insert(rank).second) {
      throw UnsupportedError(
          fmt::format("{} joins '{}' a second time", place(rank, operation), collective.name));
    }
  }

  void check_work(int rank, const Operation& operation, const Send& send) {
    const Transfer& transfer = check_end(rank, operation, send.transfer, sent_, "sends");
    if (transfer.source == rank) return;
    throw UnsupportedError(fmt::format("{} sends '{}', whose source is rank {}", place(rank, operation),
                                       transfer.name, transfer.source));
  }

  void check_work(int rank, const Operation& operation, const Receive& receive) {
    const Transfer& transfer = check_end(rank, operation, receive.transfer, received_, "receives");
    if (transfer.destination == rank) return;
    throw UnsupportedError(fmt::format("{} receives '{}', whose destination is rank {}",
                                       place(rank, operation), transfer.name, transfer.destination));
  }

  const Transfer& check_end(int rank, const Operation& operation, std::int32_t index, std::vector<int>& uses,
                            const char* verb) const {
    if (index < 0 || static_cast<std::size_t>(index) >= program_.transfers.size()) {
      throw UnsupportedError(fmt::format("{} {} transfer {}, but the program has {} transfers",
                                         place(rank, operation), verb, index, program_.transfers.size()));
    }
    const Transfer& transfer = program_.transfers[static_cast<std::size_t>(index)];
    if (++uses[static_cast<std::size_t>(index)] > 1) {
      throw UnsupportedError(
          fmt::format("{} {} '{}' a second time", place(rank, operation), verb, transfer.name));
    }
    return transfer;
  }

  void check_partners() const {
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      const GroupCollective& collective = program_.collectives[i];
      for (const int rank : program_.groups[static_cast<std::size_t>(collective.group)].ranks) {
        if (joined_[i].contains(rank)) continue;
        throw UnsupportedError(
            fmt::format("rank {} never joins its group's collective '{}'", rank, collective.name));
      }
    }
    for (std::size_t i = 0; i < program_.transfers.size(); ++i) {
      const Transfer& transfer = program_.transfers[i];
      if (sent_[i] == 0) {
        throw UnsupportedError(fmt::format("rank {} never sends '{}'", transfer.source, transfer.name));
      }
      if (received_[i] == 0) {
        throw UnsupportedError(
            fmt::format("rank {} never receives '{}'", transfer.destination, transfer.name));
      }
    }
  }

  const Program& program_;
  std::vector<std::set<int>> joined_;  // [collective]: ranks that have joined it
  std::vector<int> sent_;              // [transfer]: number of sends
  std::vector<int> received_;
};

}  // namespace

void check_program(const Program& program) {
  Checker(program).check();
}

const char* to_string(Purpose purpose) {
  switch (purpose) {
    case Purpose::kForward:
      return "forward";
    case Purpose::kInputGradient:
      return "input_gradient";
    case Purpose::kWeightGradient:
      return "weight_gradient";
    case Purpose::kRecomputation:
      return "recomputation";
    case Purpose::kUpdate:
      return "update";
    case Purpose::kOther:
      return "other";
  }
  return "?";
}

}  // namespace coppice::workload
