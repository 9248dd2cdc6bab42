#include "schedule/files/msccl_buffers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace coppice::schedule {

MscclBuffers::MscclBuffers(std::string collective, int gpus, int chunks, bool in_place, NodeId root)
    : collective_(std::move(collective)),
      gpus_(gpus),
      chunks_(chunks),
      own_(chunks / gpus),
      in_place_(in_place),
      per_gpu_(collective_ == "all_gather" || collective_ == "reduce_scatter" || exchanges()),
      root_(root) {}

int MscclBuffers::size(NodeId gpu, char buffer) const {
  const Sizes none{0, 0, std::numeric_limits<int>::max()};
  const Sizes& declared = declared_.empty() ? none : declared_[static_cast<std::size_t>(gpu)];
  if (buffer == 's') return declared[2];
  const bool share =
      (buffer == 'i' && collective_ == "all_gather") || (buffer == 'o' && collective_ == "reduce_scatter");
  const int whole = share ? own_ : chunks_;
  const int given = declared[buffer == 'i' ? 0 : 1];
  return given == 0 && in_place_ ? whole : std::min(whole, given);
}

MscclCell MscclBuffers::placed(NodeId gpu, MscclCell cell) const {
  if (!in_place_ || cell.buffer == 's') return cell;
  const int share = gpu * own_;
  if (collective_ == "all_gather") return {'o', cell.buffer == 'i' ? share + cell.offset : cell.offset};
  if (collective_ == "reduce_scatter") return {'i', cell.buffer == 'o' ? share + cell.offset : cell.offset};
  return {'i', cell.offset};
}

std::vector<MscclChunk> MscclBuffers::inputs(NodeId gpu) const {
  std::vector<MscclChunk> list;
  if (collective_ == "broadcast" && gpu != root_) return list;
  const bool gathers = collective_ == "all_gather";
  for (int c = 0; c < (gathers ? own_ : chunks_); ++c) {
    const int chunk = gathers ? gpu * own_ + c : exchanges() ? exchanged(gpu, c / own_, c % own_) : c;
    list.push_back({placed(gpu, {'i', c}), chunk});
  }
  return list;
}

std::vector<MscclChunk> MscclBuffers::outputs(NodeId gpu) const {
  std::vector<MscclChunk> list;
  const bool scatters = collective_ == "reduce_scatter";
  for (int c = 0; c < (scatters ? own_ : chunks_); ++c) {
    const int chunk = scatters ? gpu * own_ + c : exchanges() ? exchanged(c / own_, gpu, c % own_) : c;
    list.push_back({placed(gpu, {'o', c}), chunk});
  }
  return list;
}

std::string MscclBuffers::describe(int chunk) const {
  if (!exchanges()) return fmt::format("chunk {}", chunk);
  return fmt::format("chunk {} of GPU {}'s input", chunk % chunks_, chunk / chunks_);
}

std::vector<Chunk> MscclBuffers::cut(const CompileRequest& request) const {
  if (!per_gpu_) return split_into_chunks(request.size, request.element, chunks_);
  std::vector<Chunk> all;
  const int shares = exchanges() ? gpus_ * gpus_ : gpus_;
  for (const Chunk& share : split_into_chunks(request.size, request.element, shares)) {
    for (Chunk part : split_into_chunks(share.bytes, request.element, own_)) {
      part.address += share.address;
      all.push_back(part);
    }
  }
  return all;
}

}  // namespace coppice::schedule
