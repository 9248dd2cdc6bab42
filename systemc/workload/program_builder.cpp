#include "workload/program_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::workload {

Frontier both(Frontier a, const Frontier& b) {
  for (const std::int32_t operation : b) {
    if (std::ranges::find(a, operation) == a.end()) a.push_back(operation);
  }
  return a;
}

ProgramBuilder::ProgramBuilder(std::string name, int ranks) {
  program_.name = std::move(name);
  program_.ranks.resize(static_cast<std::size_t>(ranks));
  joined_.resize(static_cast<std::size_t>(ranks));
}

int ProgramBuilder::group(const std::vector<int>& ranks, const std::string& name) {
  const auto [found, is_new] = groups_.emplace(ranks, static_cast<int>(program_.groups.size()));
  if (is_new) {
    program_.groups.push_back({name, ranks});
    collectives_.emplace_back();
  }
  return found->second;
}

std::size_t ProgramBuilder::size_of(int group) const {
  return program_.groups[static_cast<std::size_t>(group)].ranks.size();
}

std::int32_t ProgramBuilder::add(int rank, Operation operation) {
  auto& operations = program_.ranks[static_cast<std::size_t>(rank)].operations;
  operations.push_back(std::move(operation));
  return static_cast<std::int32_t>(operations.size()) - 1;
}

std::int32_t ProgramBuilder::join(int rank, GroupCollective collective, Frontier after, int iteration) {
  const auto group = static_cast<std::size_t>(collective.group);
  auto& joined = joined_[static_cast<std::size_t>(rank)];
  if (joined.size() <= group) joined.resize(group + 1, 0);
  const std::size_t place = joined[group]++;
  auto& collectives = collectives_[group];
  std::string name = collective.name;
  if (place == collectives.size()) {
    collectives.push_back(static_cast<std::int32_t>(program_.collectives.size()));
    program_.collectives.push_back(std::move(collective));
  } else if (const GroupCollective& other =
                 program_.collectives[static_cast<std::size_t>(collectives[place])];
             other != collective) {
    throw ModelError(fmt::format(
        "rank {} joins '{}' of {} bytes, but other ranks of group '{}' join '{}' of {} bytes", rank,
        collective.name, collective.bytes, program_.groups[group].name, other.name, other.bytes));
  }
  return add(rank, {std::move(name), JoinCollective{collectives[place]}, std::move(after), iteration});
}

std::int32_t ProgramBuilder::send(int rank, const TransferKey& key, Transfer transfer, Frontier after,
                                  int iteration) {
  std::string name = "send " + transfer.name;
  const Send work{transfer_of(key, std::move(transfer))};
  return add(rank, {std::move(name), work, std::move(after), iteration});
}

std::int32_t ProgramBuilder::receive(int rank, const TransferKey& key, Transfer transfer, Frontier after,
                                     int iteration) {
  std::string name = "receive " + transfer.name;
  const Receive work{transfer_of(key, std::move(transfer))};
  return add(rank, {std::move(name), work, std::move(after), iteration});
}

std::int32_t ProgramBuilder::transfer_of(const TransferKey& key, Transfer transfer) {
  const auto [found, is_new] =
      transfers_.emplace(std::pair{std::pair{transfer.source, transfer.destination}, key},
                         static_cast<std::int32_t>(program_.transfers.size()));
  if (is_new) program_.transfers.push_back(std::move(transfer));
  return found->second;
}

}  // namespace coppice::workload
