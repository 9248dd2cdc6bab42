#pragma once

#include <array>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A cell of a GPU's buffers, identified by its buffer (i for input, o for output or s for scratch) and the
// index of its chunk in this buffer.
struct MscclCell {
  char buffer = 'i';
  int offset = 0;
  auto operator<=>(const MscclCell&) const = default;
};

// A chunk in the tables of an accelerator, and the cell in which a GPU keeps the chunk.
struct MscclChunk {
  MscclCell cell;
  int chunk = 0;
};

// The layout of an MSCCL algorithm's buffers for its collective: where the input is, and which data in
// Coppice's tables corresponds to each chunk. The tables of an all-to-all contain the blocks of all pairs.
class MscclBuffers {
 public:
  // The numbers of chunks that a GPU declares for the buffers i, o and s.
  using Sizes = std::array<int, 3>;

  MscclBuffers() = default;
  // `collective` is a name as in collective.op, and `chunks` is nchunksperloop. `root` is used only for a
  // broadcast.
  MscclBuffers(std::string collective, int gpus, int chunks, bool in_place, NodeId root = topology::kNoNode);

  int gpus() const { return gpus_; }
  // The number of chunks in the share of a GPU.
  int own() const { return own_; }
  // Whether nchunksperloop must be a multiple of the number of GPUs.
  bool per_gpu() const { return per_gpu_; }
  // Whether the collective is a reduction.
  bool sums() const { return collective_ == "all_reduce" || collective_ == "reduce_scatter"; }
  // Declares the buffer sizes of the next GPU. If its input or output has no chunks, the two share a buffer
  // (in place).
  void declare(const Sizes& sizes) { declared_.push_back(sizes); }
  // The number of chunks in a buffer. The collective determines it unless the GPU declares fewer chunks.
  int size(NodeId gpu, char buffer) const;
  // Returns the cell that is actually accessed. In place, input and output are one buffer: the output of an
  // all-gather contains the input at the GPU's share, and the input of a reduce-scatter contains the output
  // at that share.
  MscclCell placed(NodeId gpu, MscclCell cell) const;
  // The chunks with which a GPU starts. In a broadcast, only the root has any.
  std::vector<MscclChunk> inputs(NodeId gpu) const;
  // The chunks that a GPU's output buffer must contain at the end. If sums(), each of them must include the
  // data of all GPUs.
  std::vector<MscclChunk> outputs(NodeId gpu) const;
  // Returns the name of a chunk in error messages: "chunk 4" or, for an all-to-all, "chunk 4 of GPU 0's
  // input".
  std::string describe(int chunk) const;
  // Returns the address range of every chunk. For an all-to-all, request.size is the size of all blocks
  // together.
  std::vector<Chunk> cut(const CompileRequest& request) const;

 private:
  bool exchanges() const { return collective_ == "all_to_all"; }
  // Returns the number of the chunk that is part `part` of the block from `source` to `destination` in an
  // all-to-all.
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
  std::vector<Sizes> declared_;  // [gpu]; empty if the sizes are those that the collective defines
};

}  // namespace coppice::schedule
