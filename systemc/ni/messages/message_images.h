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
// origin, executes its tables: entry i of a slot, which is one of its ports, represents entry i of that slot
// at every accelerator. The others do the same in the same cycles, so the only work simulated for each of
// them is to read, add and store the data that is checked, to count the bytes, and to report its messages to
// observers.
class MessageImages {
 public:
  // All references must outlive this object. The tables are those of all accelerators.
  MessageImages(const schedule::Schedule& schedule, const schedule::SymmetricTables& tables, MessageLog& log)
      : schedule_(&schedule), tables_(&tables), origin_(tables.moves().origin()), log_(&log) {}

  // Adds the memory and the buffer of the next accelerator.
  void add(MemoryModule& memory, GradientMemory& contents) { nodes_.push_back({&memory, &contents}); }

  // Records that the origin has issued entry `index` of the record's port and has read its data.
  void issued(std::uint64_t message, std::size_t index, MessageRecord& record);
  // Converts the record of a message that has arrived at its destination to the record of the image that
  // arrives at the origin.
  void arrived(std::uint64_t message, MessageRecord& record);
  // Records that the origin has reduced or stored the message.
  void completed(std::uint64_t message, MessageRecord& record);
  // Adds the bytes of the images since the last call to the statistics of all memories.
  void count_accesses();

 private:
  using Image = schedule::SymmetricTables::Image;
  struct Node {
    MemoryModule* memory;
    GradientMemory* contents;
    Bytes read = 0;  // since the last count_accesses()
    Bytes written = 0;
  };
  // The data of the images that memories track, concatenated; usually little or none.
  class Payloads {
   public:
    void clear();
    // `sender` must exceed those of earlier calls.
    void add(std::size_t sender, const Payload& payload);
    std::size_t size() const { return ends_.size(); }
    std::size_t sender(std::size_t i) const { return ends_[i].sender; }
    void copy(std::size_t i, Payload& into) const;
    // Clears `into` if there is no data of the sender.
    void copy_of(std::size_t sender, Payload& into) const;

   private:
    struct End {
      std::size_t sender = 0;
      std::size_t values = 0;
      std::size_t contributions = 0;
    };
    std::vector<End> ends_;
    std::vector<float> values_;
    std::vector<std::uint64_t> contributions_;
  };
  struct InFlight {
    std::size_t index = 0;
    TableEntry incoming;        // the entry of the image that arrives at the origin
    std::vector<Image> images;  // [sender]
    Payloads payloads;
  };
  class Others;  // the images of a message at all accelerators but one

  InFlight& in_flight(std::uint64_t message) {
    if (in_flight_.size() <= message) in_flight_.resize(message + 1);
    return in_flight_[message];
  }
  std::size_t slot_of(int port) const {
    return schedule_->nodes[static_cast<std::size_t>(origin_)].ports[static_cast<std::size_t>(port)].slot();
  }
  // The image at accelerator `n` of an entry of the origin's port, valid until the next call.
  const TableEntry& entry(std::size_t n, int port, std::size_t index) {
    tables_->read(slot_of(port), index, static_cast<NodeId>(n), entry_);
    return entry_;
  }

  const schedule::Schedule* schedule_;
  const schedule::SymmetricTables* tables_;
  NodeId origin_;
  MessageLog* log_;
  std::vector<Node> nodes_;
  std::vector<InFlight> in_flight_;  // [message]
  TableEntry entry_;
  Payload payload_;                          // payload of one image
  std::vector<ImagesOfMessage::Ends> ends_;  // of the images that complete
};

}  // namespace coppice::ni
