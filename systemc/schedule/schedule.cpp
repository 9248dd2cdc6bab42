#include "schedule/schedule.h"

#include <algorithm>

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

}  // namespace coppice::schedule
