#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {

// The kind of a thread block's step. It states whether the step receives a message, adds the block's own
// data, stores the result, and sends it. A step that does none of these only waits.
struct StepKind {
  const char* name;
  bool receives;
  bool adds;
  bool keeps;
  bool sends;

  bool moves() const { return receives || adds || keeps || sends; }
};

// The types of steps that MSCCL defines.
inline constexpr std::array kStepKinds{
    StepKind{"s", false, false, false, true},   StepKind{"r", true, false, true, false},
    StepKind{"cpy", false, false, true, false}, StepKind{"re", false, true, true, false},
    StepKind{"rrc", true, true, true, false},   StepKind{"rrs", true, true, false, true},
    StepKind{"rcs", true, false, true, true},   StepKind{"rrcs", true, true, true, true},
    StepKind{"nop", false, false, false, false}};
inline constexpr const StepKind* kSendStep = &kStepKinds[0];
inline constexpr const StepKind* kReceiveStep = &kStepKinds[1];

// A step of a thread block, which moves `count` consecutive chunks.
struct BlockStep {
  const StepKind* kind = nullptr;
  MscclCell source;
  MscclCell destination;
  int count = 1;
  // The step waits for step `step_before` of thread block `block_before` of the same GPU. If these are -1,
  // the step does not wait.
  int block_before = -1;
  int step_before = -1;
  bool signals = true;       // whether other blocks may wait for this step (hasdep)
  std::ptrdiff_t place = 0;  // position in the file, as counted by the reader of the file
};

// A sequence of steps that runs concurrently with all other thread blocks. A block has at most one peer to
// which it sends and one from which it receives.
struct ThreadBlock {
  int send_to = -1;
  int receive_from = -1;
  int channel = 0;
  std::vector<BlockStep> steps{};
  std::ptrdiff_t place = 0;
};

// A schedule in the form of MSCCL and TACOS. Its thread blocks are ordered only by messages and by the steps
// for which they wait. The k-th send of a connection (source, destination, channel) matches its k-th receive.
struct BlockProgram {
  MscclBuffers buffers;
  std::vector<std::vector<ThreadBlock>> blocks;  // [gpu]
  std::vector<std::ptrdiff_t> places;            // [gpu]: position of the GPU in the file
};

// A fault in a program, and the step at fault.
struct BlockFault : std::runtime_error {
  enum class Kind : std::uint8_t {
    kBuffer,      // an access outside a buffer, or a read of unwritten data
    kConnection,  // two blocks at one end of a connection, or a message that is lost or has a wrong length
    kDeadlock,
    kRace,
    kSum,    // data added twice, or to the wrong chunk
    kOutput  // a final value in the wrong place
  };
  BlockFault(Kind what_kind, int at_gpu, int at_block, int at_step, std::ptrdiff_t at,
             const std::string& what)
      : std::runtime_error(what), kind(what_kind), gpu(at_gpu), block(at_block), step(at_step), place(at) {}

  Kind kind;
  int gpu;
  int block;  // -1 if the fault does not concern a particular block
  int step;
  std::ptrdiff_t place;
  int chunk = -1;  // for kOutput, the number of a chunk in MscclBuffers
};

}  // namespace coppice::schedule
