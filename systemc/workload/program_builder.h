#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload/program.h"

namespace coppice::workload {

// The operations of a rank that the rank's next operation must wait for.
using Frontier = std::vector<std::int32_t>;

// All operations in `a` and `b`, without duplicates.
Frontier both(Frontier a, const Frontier& b);

// Builds a program rank by rank. Collectives of different ranks are matched by their group and by their
// position among the group's collectives, because all ranks join them in the same order.
class ProgramBuilder {
 public:
  ProgramBuilder(std::string name, int ranks);

  // The index of the group that consists of these ranks. If the group does not exist, it is added as `name`;
  // an existing group keeps its name.
  int group(const std::vector<int>& ranks, const std::string& name);
  std::size_t size_of(int group) const;
  const Program& program() const { return program_; }
  Program take() { return std::move(program_); }

  // Appends an operation to a rank, and returns its index.
  std::int32_t add(int rank, Operation operation);
  // Adds an operation by which the rank joins its group's next collective. Throws ModelError if another rank
  // has joined a collective of a different kind, operation or size at the same position.
  std::int32_t join(int rank, GroupCollective collective, Frontier after, int iteration);
  // Add the sending and the receiving end of a transfer. `key` distinguishes it from other transfers between
  // the same ranks.
  using TransferKey = std::array<int, 5>;
  std::int32_t send(int rank, const TransferKey& key, Transfer transfer, Frontier after, int iteration);
  std::int32_t receive(int rank, const TransferKey& key, Transfer transfer, Frontier after, int iteration);

 private:
  std::int32_t transfer_of(const TransferKey& key, Transfer transfer);

  Program program_;
  std::map<std::vector<int>, int> groups_;
  std::vector<std::vector<std::int32_t>> collectives_;  // [group]: its collectives, in order
  std::vector<std::vector<std::size_t>> joined_;        // [rank][group]: number of collectives joined
  std::map<std::pair<std::pair<int, int>, TransferKey>, std::int32_t> transfers_;
};

}  // namespace coppice::workload
