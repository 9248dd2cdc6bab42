#pragma once

#include <array>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A cell of a GPU's buffers: buffer i (input), o (output) or s (scratch), and the chunk in it.
struct MscclCell {
  char buffer = 'i';
  int offset = 0;
  auto operator<=>(const MscclCell&) const = default;
};

// A chunk of an accelerator's tables, and the cell in which a GPU keeps it.
struct MscclChunk {
  MscclCell cell;
  int chunk = 0;
};

// The layout of an MSCCL algorithm's buffers for its collective: the position of the input, and the data in
// Coppice's tables to which a chunk corresponds. The tables of an all-to-all contain the blocks of all pairs.
class MscclBuffers {
 public:
  // The numbers of chunks of i, o and s that a GPU declares.
  using Sizes = std::array<int, 3>;

  MscclBuffers() = default;
  // `collective` is named as in collective.op, `chunks` is nchunksperloop. `root`: for a broadcast.
  MscclBuffers(std::string collective, int gpus, int chunks, bool in_place, NodeId root = topology::kNoNode);

  int gpus() const { return gpus_; }
  // The number of chunks in a GPU's share.
  int own() const { return own_; }
  // Whether nchunksperloop must be a multiple of the number of GPUs.
  bool per_gpu() const { return per_gpu_; }
  // Whether the collective is a reduction.
  bool sums() const { return collective_ == "all_reduce" || collective_ == "reduce_scatter"; }
  // GPUs declare their buffers in order. An input or output without chunks shares the other's buffer (in
  // place).
  void declare(const Sizes& sizes) { declared_.push_back(sizes); }
  // The number of chunks of a buffer: as the collective defines it, or fewer if the GPU declares fewer.
  int size(NodeId gpu, char buffer) const;
  // In place, input and output are one buffer: an all-gather's output contains the input at the GPU's share,
  // and a reduce-scatter's input contains the output there.
  MscclCell placed(NodeId gpu, MscclCell cell) const;
  // The chunks that a GPU starts with; for a broadcast, only the root has any.
  std::vector<MscclChunk> inputs(NodeId gpu) const;
  // The chunks that a GPU's output buffer must hold at the end; if sums(), each must include the data of all
  // GPUs.
  std::vector<MscclChunk> outputs(NodeId gpu) const;
  // Names a chunk in messages: "chunk 4", or for an all-to-all "chunk 4 of GPU 0's input".
  std::string describe(int chunk) const;
  // The data of every chunk. For an all-to-all, `request` has the size of all blocks together.
  std::vector<Chunk> cut(const CompileRequest& request) const;

 private:
  bool exchanges() const { return collective_ == "all_to_all"; }
  // The chunk of an all-to-all that is part `part` of the block from `source` to `destination`.
  int exchanged(NodeId source, NodeId destination, int part) const {
    return (source * gpus_ + destination) * own_ + part;
  }

  std::string collective_;
  int gpus_ = 0;
  int chunks_ = 0;
  int own_ = 0;
  bool in_place_ = true;
  bool per_gpu_ = false;
  NodeId root_ = topology::kNoNode;
  std::vector<Sizes> declared_;  // [gpu]; nullopt: as the collective defines them
};

}  // namespace coppice::schedule
