#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ni/memory/gradient_memory.h"
#include "ni/memory/memory.h"
#include "ni/memory/message_record.h"
#include "ni/messages/message_log.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::ni {

// The messages of all accelerators in a run that looks the same from each of them. One accelerator, the
// origin, executes its tables. A slot is a port of the origin: entry i of a slot represents entry i of the
// same slot at every accelerator. Since the other accelerators do the same in the same cycles, the simulation
// only reads, adds and stores their data and reports their messages to observers.
class MessageImages {
 public:
  // All references must outlive this object. `tables` contains the tables of all accelerators.
  MessageImages(const schedule::Schedule& schedule, const schedule::SymmetricTables& tables, MessageLog& log)
      : schedule_(&schedule), tables_(&tables), origin_(tables.moves().origin()), log_(&log) {}

  // Adds the memory and the gradient buffer of the next accelerator.
  void add(MemoryModule& memory, GradientMemory& contents) { nodes_.push_back({&memory, &contents}); }

  // Records that the origin has issued entry `index` of the port in `record` and has read the entry's data.
  void issued(std::uint64_t message, std::size_t index, MessageRecord& record);
  // Converts the record of a message that has arrived at its destination into the record of the image that
  // arrives at the origin.
  void arrived(std::uint64_t message, MessageRecord& record);
  // Records that the origin has reduced or stored the message.
  void completed(std::uint64_t message, MessageRecord& record);

 private:
  struct Node {
    MemoryModule* memory;
    GradientMemory* contents;
  };
  // The data of all images of a message, concatenated by accelerator. In most cases, there is little or no
  // data.
  class Payloads {
   public:
    void clear();
    void add(const Payload& payload);
    void copy(std::size_t accelerator, Payload& into) const;

   private:
    struct End {
      std::uint32_t values = 0;
      std::uint32_t contributions = 0;
    };
    std::vector<End> ends_;  // [accelerator]: end of the accelerator's data
    std::vector<float> values_;
    std::vector<std::uint64_t> contributions_;
  };
  struct InFlight {
    std::size_t index = 0;
    TableEntry incoming;  // the entry of the image that arrives at the origin
    Payloads payloads;    // indexed by the sender
  };

  InFlight& in_flight(std::uint64_t message) {
    if (in_flight_.size() <= message) in_flight_.resize(message + 1);
    return in_flight_[message];
  }
  // The image, at accelerator `n`, of an entry of the origin's port. The reference is valid until the next
  // call.
  const TableEntry& entry(std::size_t n, int port, std::size_t index) {
    const schedule::Table& at_origin =
        schedule_->nodes[static_cast<std::size_t>(origin_)].ports[static_cast<std::size_t>(port)];
    tables_->read(at_origin.slot(), index, static_cast<NodeId>(n), entry_);
    return entry_;
  }

  const schedule::Schedule* schedule_;
  const schedule::SymmetricTables* tables_;
  NodeId origin_;
  MessageLog* log_;
  std::vector<Node> nodes_;
  std::vector<InFlight> in_flight_;  // [message]
  TableEntry entry_;
  Payload payload_;  // payload of a single image
};

}  // namespace coppice::ni
