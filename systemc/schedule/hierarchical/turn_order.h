#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace coppice::schedule {

// A message that an accelerator sends in one step of a chunk.
struct PipelineMessage {
  int port = 0;  // port of the network interface
  Femtoseconds serialization = 0;
};

// A step of a chunk, which is the same at every accelerator. Its messages may be sent when the messages of
// the previous step have arrived.
struct PipelineStep {
  std::vector<PipelineMessage> messages;
  Femtoseconds latency = 0;       // time from the end of a message at the sender to its arrival
  bool starts_operation = false;  // whether this is the first step of the chunk in a dimension and phase
  Bytes rank = 0;                 // operations with lower ranks go first, whenever they arrive
};

// An element of the order in which a port sends messages.
struct PipelineTurn {
  std::int32_t chunk = 0;
  std::int32_t step = 0;
  std::int32_t message = 0;
  auto operator<=>(const PipelineTurn&) const = default;
};

// Returns, for each port of a network interface, the order in which the port sends messages. The order is
// found by a deterministic simulation of one accelerator that represents all of them (Themis, Sec. 4.6.2).
// Since all accelerators execute the same order, no circular wait arises. A port sends one message at a time.
// Among waiting messages, those of the operation that began first have priority. Operations that have not
// begun are ordered by rank, then by their arrival in the dimension, then by chunk number. While the latency
// of a step elapses, other operations use the port (Sec. 4.3).
std::vector<std::vector<PipelineTurn>> order_turns(std::span<const std::vector<PipelineStep>> chunks,
                                                   int ports);

}  // namespace coppice::schedule
