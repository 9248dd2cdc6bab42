#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "ni/memory/gradient_memory.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

using schedule::NodeId;
using schedule::TableEntry;

// The reasons why a table entry did not issue earlier, and the times of its message, in cycles; -1: not yet.
struct MessageRecord {
  const TableEntry* entry = nullptr;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  std::uint32_t context = 0;  // its collective in flight (table_context.h)
  int src_port = 0;
  int dst_port = 0;
  std::int64_t flits = 0;
  std::int64_t packets = 0;
  Cycles serialization = 0;      // cycles to send its flits at the rate of its route's slowest channel
  Cycles zero_load_latency = 0;  // from a flit's injection to its ejection
  Cycles credit_stall = 0;       // the longest delay that credits alone can cause (fabric/route_timing.h)

  // When the last arrival on which it depends was in memory, or when its port issued the previous message if
  // that was later; 0 if it depends on none.
  Cycles dependencies_met = 0;
  Cycles released = 0;         // when the lockstep allowed its step to start
  Cycles issued = -1;          // when it was decoded and its DMA requested
  Cycles port_free_since = 0;  // the cycle after its port's previous message left; 0 for the first
  Cycles head_injected = -1;
  Cycles tail_injected = -1;
  Cycles tail_ejected = -1;
  Cycles completed = -1;  // when it was reduced or stored

  // The message that met the last dependency: when its tail left the sender, its delay in excess of the
  // zero-load latency, and the part of that delay that credits alone can explain.
  Cycles enabler_tail_injected = 0;
  Cycles enabler_delay = 0;
  Cycles enabler_credit_delay = 0;

  Payload payload;
};

// The messages of other accelerators that a message represents in a symmetric run (MessageImages). They
// complete in the same cycle.
class ImagesOfMessage {
 public:
  struct Ends {
    NodeId src = topology::kNoNode;
    NodeId dst = topology::kNoNode;
  };

  virtual ~ImagesOfMessage() = default;
  // The represented message; all times and the source port are those of its images.
  virtual const MessageRecord& original() const = 0;
  virtual std::span<const Ends> ends() const = 0;
  // The record of the image with ends()[i], without a payload, valid until the next call.
  virtual const MessageRecord& image(std::size_t i) = 0;
};

// Observes messages as they complete; called in order of completion time.
class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  virtual void message_completed(const MessageRecord& message) = 0;
  // Reports each image to message_completed() unless overridden.
  virtual void images_completed(ImagesOfMessage& images) {
    for (std::size_t i = 0; i < images.ends().size(); ++i) message_completed(images.image(i));
  }
};

}  // namespace coppice::ni
