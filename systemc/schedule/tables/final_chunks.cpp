#include "schedule/tables/final_chunks.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::schedule {
namespace {

constexpr std::size_t kMostFollowed = std::size_t{1} << 23;  // limit on accelerators times flows

// Calls `visit` for all messages, table by table, and stops after a table whose last call returns false.
template <typename Visit>
void for_each_message(const Schedule& schedule, Visit visit) {
  for (const auto& node : schedule.nodes) {
    for (const auto& port : node.ports) {
      bool goes_on = true;
      port.for_each_entry([&](const TableEntry& entry) {
        if (entry.op != Op::kNop) goes_on = visit(entry);
      });
      if (!goes_on) return;
    }
  }
}

// The address range of each flow; nullopt if a flow has several address ranges or two flows share addresses.
std::optional<std::vector<Chunk>> chunks_of(const Schedule& schedule) {
  std::vector<Chunk> chunks(static_cast<std::size_t>(schedule.flows));
  bool one_each = true;
  for_each_message(schedule, [&](const TableEntry& entry) {
    Chunk& chunk = chunks[static_cast<std::size_t>(entry.flow)];
    if (chunk.bytes == 0) chunk = {entry.address, entry.bytes};
    one_each = one_each && chunk.address == entry.address && chunk.bytes == entry.bytes;
    return one_each;
  });
  if (!one_each) return std::nullopt;
  std::map<Bytes, Bytes> ends;
  for (const Chunk& chunk : chunks) {
    if (chunk.bytes > 0 && !ends.emplace(chunk.address, chunk.address + chunk.bytes).second)
      return std::nullopt;
  }
  Bytes covered = 0;
  for (const auto& [begin, end] : ends) {
    if (begin < covered) return std::nullopt;
    covered = end;
  }
  return chunks;
}

// Inverts `names`: the result maps each name to the number of its node.
std::vector<std::size_t> numbers_of(std::span<const NodeId> names) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < names.size(); ++number) {
    const auto name = static_cast<std::size_t>(names[number]);
    if (numbers.size() <= name) numbers.resize(name + 1, 0);
    numbers[name] = number;
  }
  return numbers;
}

}  // namespace

std::int64_t FinalChunks::chunks_to(Bytes bytes) const {
  if (bytes == 0) return 0;
  const auto chunk = std::ranges::lower_bound(ends, bytes);
  if (chunk == ends.end()) {
    throw ModelError(fmt::format("final chunks: {} bytes exceed the buffer, which has {} bytes", bytes,
                                 ends.empty() ? Bytes{0} : ends.back()));
  }
  return chunk - ends.begin() + 1;
}

std::optional<FinalChunks> find_final_chunks(const Schedule& schedule, std::span<const NodeId> names) {
  FinalChunks found;
  found.flows = static_cast<std::size_t>(schedule.flows);
  const std::size_t accelerators = schedule.nodes.size();
  if (schedule.collective != Collective::kAllReduce || accelerators < 2 || schedule.adders != 0 ||
      accelerators * found.flows > kMostFollowed) {
    return std::nullopt;
  }
  const auto chunks = chunks_of(schedule);
  if (!chunks) return std::nullopt;
  std::map<Bytes, std::size_t> by_address;
  for (std::size_t flow = 0; flow < found.flows; ++flow) {
    if ((*chunks)[flow].bytes > 0) by_address.emplace((*chunks)[flow].address, flow);
  }
  found.chunk_of.assign(found.flows, -1);
  for (const auto& [address, flow] : by_address) {
    found.chunk_of[flow] = static_cast<std::int32_t>(found.ends.size());
    found.ends.push_back(address + (*chunks)[flow].bytes);
  }
  const std::vector<std::size_t> numbers = numbers_of(names);
  found.messages.assign(accelerators * found.flows, 0);
  for_each_message(schedule, [&](const TableEntry& entry) {
    auto node = static_cast<std::size_t>(entry.destination());
    if (!numbers.empty()) node = numbers[node];
    ++found.messages[node * found.flows + static_cast<std::size_t>(entry.flow)];
    return true;
  });
  return found;
}

}  // namespace coppice::schedule
