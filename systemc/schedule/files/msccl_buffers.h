#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A place in the buffers of a GPU: i, o or s (scratch), and the chunk there.
struct MscclCell {
  char buffer = 'i';
  int offset = 0;
  auto operator<=>(const MscclCell&) const = default;
};

// A chunk of an accelerator's tables, and where a GPU has it.
struct MscclChunk {
  MscclCell cell;
  int chunk = 0;
};

// What the buffers of an MSCCL algorithm hold, by its collective: where its input lies, and which part of the
// data of Coppice's tables a chunk of it is. The tables of an all-to-all have the blocks of all pairs.
class MscclBuffers {
 public:
  MscclBuffers() = default;
  // `collective` as in collective.op; `chunks`: nchunksperloop.
  MscclBuffers(std::string collective, int gpus, int chunks, bool in_place);

  // Whether nchunksperloop is a whole number for every GPU.
  bool per_gpu() const { return per_gpu_; }
  // In place, input and output are one buffer: the output of an all-gather holds the input at the GPU's
  // share, the input of a reduce-scatter its output.
  MscclCell placed(NodeId gpu, MscclCell cell) const;
  // What a GPU has in the beginning; of a broadcast, the root.
  std::vector<MscclChunk> inputs(NodeId gpu) const;
  // What a GPU must have in the end, of an all-to-all; else nothing, the tables' check knows.
  std::vector<MscclChunk> outputs(NodeId gpu) const;
  // The data of every chunk. `request` of an all-to-all has the size of all blocks.
  std::vector<Chunk> cut(const CompileRequest& request) const;

 private:
  bool exchanges() const { return collective_ == "all_to_all"; }
  // The chunk of an all-to-all that is `part` of what `source` sends `destination`.
  int exchanged(NodeId source, NodeId destination, int part) const {
    return (source * gpus_ + destination) * own_ + part;
  }

  std::string collective_;
  int gpus_ = 0;
  int chunks_ = 0;
  int own_ = 0;  // chunks of a GPU's share
  bool in_place_ = true;
  bool per_gpu_ = false;
};

}  // namespace coppice::schedule
