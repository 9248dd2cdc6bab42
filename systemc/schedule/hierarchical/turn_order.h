#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace coppice::schedule {

// A message that an accelerator sends in one step of a chunk.
struct PipelineMessage {
  int port = 0;  // of the network interface
  Femtoseconds serialization = 0;
};

// One step of a chunk, the same at every accelerator: its messages may be sent when those of the previous
// step have arrived.
struct PipelineStep {
  std::vector<PipelineMessage> messages;
  Femtoseconds latency = 0;       // from the end of a message at the sender to its arrival
  bool starts_operation = false;  // the first step of the chunk in a dimension and phase
  Bytes rank = 0;                 // operations of lower rank go first, regardless of arrival
};

// A message's turn at a port.
struct PipelineTurn {
  std::int32_t chunk = 0;
  std::int32_t step = 0;
  std::int32_t message = 0;
  auto operator<=>(const PipelineTurn&) const = default;
};

// For each port of a network interface, the order in which it sends messages. It is found by a deterministic
// simulation of one accelerator that represents all of them (Themis, Sec. 4.6.2). Since all accelerators
// execute the same order, no circular wait arises. A port sends one message at a time. Among waiting
// messages, those of the operation that began first have priority; operations that have not begun are ordered
// by rank, then by arrival in their dimension, then by chunk number. While the latency of a step elapses,
// other operations use the port (Sec. 4.3).
std::vector<std::vector<PipelineTurn>> order_turns(std::span<const std::vector<PipelineStep>> chunks,
                                                   int ports);

}  // namespace coppice::schedule
