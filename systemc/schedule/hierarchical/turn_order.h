#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace coppice::schedule {

// A message that an accelerator sends in one step of a chunk.
struct PipelineMessage {
  int port = 0;  // of its network interface
  Femtoseconds serialization = 0;
};

// One step of a chunk, the same at every accelerator: its messages may leave when those of the previous step
// have arrived.
struct PipelineStep {
  std::vector<PipelineMessage> messages;
  Femtoseconds latency = 0;       // from the end of a message at its sender to its arrival
  bool starts_operation = false;  // the first step of the chunk in a dimension and phase
  Bytes rank = 0;                 // rank of its operation: the lowest goes first, regardless of arrival
};

// A message's turn at a port.
struct PipelineTurn {
  std::int32_t chunk = 0;
  std::int32_t step = 0;
  std::int32_t message = 0;
  auto operator<=>(const PipelineTurn&) const = default;
};

// The order in which every network interface sends the messages of its chunks, per port. It is found by a
// deterministic simulation of one accelerator that stands for all of them (Themis, Sec. 4.6.2; all execute
// the same order, so no circular wait arises). A port sends one message at a time. Among waiting messages,
// the one whose operation began first goes first; among operations that have not begun, that of the lowest
// rank, then the one that arrived in its dimension first, then the lowest chunk. While the latency of a step
// elapses, other operations use the port (Sec. 4.3).
std::vector<std::vector<PipelineTurn>> order_turns(std::span<const std::vector<PipelineStep>> chunks,
                                                   int ports);

}  // namespace coppice::schedule
