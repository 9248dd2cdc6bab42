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

// The times of a message, in cycles, and the reasons why its table entry did not issue earlier. A time of -1
// is not known yet.
struct MessageRecord {
  const TableEntry* entry = nullptr;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  std::uint32_t context = 0;  // ID of the message's collective (table_context.h)
  int src_port = 0;
  int dst_port = 0;
  std::int64_t flits = 0;
  std::int64_t packets = 0;
  Cycles serialization = 0;  // number of cycles that sending takes at the rate of the route's slowest channel
  Cycles zero_load_latency = 0;  // number of cycles from a flit's injection to its ejection
  Cycles credit_stall = 0;       // maximum delay that credits alone can cause (fabric/route_timing.h)

  // The cycle in which the last arrival on which the message depends was in memory, or in which its port
  // issued the previous message if that was later. 0 if the message does not depend on any arrival.
  Cycles dependencies_met = 0;
  Cycles released = 0;         // when the lockstep allowed the step to start
  Cycles issued = -1;          // when the entry was decoded and its DMA read was requested
  Cycles port_free_since = 0;  // the cycle after the port's previous message left; 0 for the first message
  Cycles head_injected = -1;
  Cycles tail_injected = -1;
  Cycles tail_ejected = -1;
  Cycles completed = -1;  // when the message was reduced or stored

  // The arrival that satisfied the last dependency: when its tail left the sender, the delay of the message
  // in excess of its zero-load latency, and the part of this delay that credits alone can explain.
  Cycles enabler_tail_injected = 0;
  Cycles enabler_delay = 0;
  Cycles enabler_credit_delay = 0;

  Payload payload;
};

// A message of a symmetric run and its images, one from each accelerator (MessageImages). They complete in
// the same cycle.
class ImagesOfMessage {
 public:
  virtual ~ImagesOfMessage() = default;
  // The represented message, whose times are those of its images.
  virtual const MessageRecord& original() const = 0;
  // The slot that sends the images. A slot stands for one port of each accelerator, listed by ports().
  virtual std::size_t slot() const = 0;
  // [accelerator]: the port of the slot.
  virtual std::span<const int> ports() const = 0;
  // The record of the image that an accelerator sends. The reference is valid until the next call.
  virtual const MessageRecord& image(topology::NodeId src) = 0;
};

// Observes messages when they complete. Calls are in the order of completion times.
class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  virtual void message_completed(const MessageRecord& message) = 0;
  // Called instead of message_completed() for a message and its images. Reports each of them to
  // message_completed() unless overridden.
  virtual void images_completed(ImagesOfMessage& images) {
    const auto accelerators = static_cast<topology::NodeId>(images.ports().size());
    for (topology::NodeId src = 0; src < accelerators; ++src) message_completed(images.image(src));
  }
};

}  // namespace coppice::ni
