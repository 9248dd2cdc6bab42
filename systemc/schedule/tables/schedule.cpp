#include "schedule/tables/schedule.h"

#include <algorithm>
#include <cmath>

namespace coppice::schedule {

const char* to_string(Collective collective) {
  switch (collective) {
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kAllGather:
      return "all_gather";
    case Collective::kAllReduce:
      return "all_reduce";
  }
  return "?";
}

const char* to_string(Op op) {
  switch (op) {
    case Op::kReduce:
      return "reduce";
    case Op::kGather:
      return "gather";
    case Op::kNop:
      return "nop";
  }
  return "?";
}

Bytes sent_bytes(Bytes bytes, double efficiency) {
  return efficiency == 1 ? bytes : static_cast<Bytes>(std::ceil(static_cast<double>(bytes) / efficiency));
}

std::string collective_name(const Schedule& schedule) {
  const bool rooted = schedule.shares.size() == 1 && schedule.accelerators() > 1;
  if (rooted && schedule.collective == Collective::kAllGather) return "broadcast";
  if (rooted && schedule.collective == Collective::kReduceScatter) return "reduce";
  return to_string(schedule.requested());
}

std::vector<Chunk> split_into_chunks(Bytes size, Bytes element, int count) {
  const Bytes elements = size / element;
  const Bytes each = elements / count;
  const Bytes longer = elements % count;
  std::vector<Chunk> chunks;
  chunks.reserve(static_cast<std::size_t>(count));
  Bytes address = 0;
  for (int i = 0; i < count; ++i) {
    const Bytes bytes = (each + (i < longer ? 1 : 0)) * element;
    chunks.push_back({.address = address, .bytes = bytes});
    address += bytes;
  }
  return chunks;
}

Schedule without_tables(const Schedule& schedule) {
  return {.algorithm = schedule.algorithm,
          .collective = schedule.collective,
          .size = schedule.size,
          .copies = schedule.copies,
          .element = schedule.element,
          .steps = schedule.steps,
          .least_steps = schedule.least_steps,
          .flows = schedule.flows,
          .chunks = schedule.chunks,
          .ordered_by_lockstep = schedule.ordered_by_lockstep,
          .numbered_arrivals = schedule.numbered_arrivals,
          .shares = schedule.shares,
          .nodes = {},
          .adders = schedule.adders,
          .routes = {},
          .repetition = schedule.repetition,
          .protocol = schedule.protocol};
}

std::vector<Share> share_out(const Schedule& schedule) {
  if (!schedule.shares.empty()) return schedule.shares;
  std::vector<Share> shares;
  const auto chunks = split_into_chunks(schedule.size, schedule.element, schedule.accelerators());
  for (std::size_t a = 0; a < chunks.size(); ++a) {
    if (chunks[a].bytes > 0) shares.push_back({.data = chunks[a], .owner = static_cast<NodeId>(a)});
  }
  return shares;
}

}  // namespace coppice::schedule
