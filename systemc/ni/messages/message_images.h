#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/trains/route_images.h"
#include "ni/memory/gradient_memory.h"
#include "ni/memory/memory.h"
#include "ni/memory/message_record.h"
#include "ni/messages/message_log.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::ni {

// The messages of all accelerators in a run that looks the same from each of them. One accelerator, the
// origin, executes its tables. A slot is a port of the origin: entry i of a slot represents entry i of the
// same slot at every accelerator. Since the other accelerators do the same in the same cycles, the simulation
// only reads, adds and stores those parts of their data that are checked, counts the bytes that they access,
// and reports their messages to observers.
class MessageImages {
 public:
  // All references must outlive this object. `tables` contains the tables of all accelerators.
  MessageImages(const schedule::Schedule& schedule, const schedule::SymmetricTables& tables,
                const fabric::RouteImages& routes, MessageLog& log);

  // Adds the gradient buffer of the next accelerator. Call this for all accelerators before the first
  // message.
  void add(GradientMemory& contents);

  // Records that the origin has issued entry `index` of the port that `record` names and has read the entry's
  // data.
  void issued(std::uint64_t message, std::size_t index, MessageRecord& record);
  // Converts the record of a message that has arrived at its destination into the record of the image that
  // arrives at the origin.
  void arrived(std::uint64_t message, MessageRecord& record);
  // Records that the origin has reduced or stored the message, and closes the message.
  void completed(std::uint64_t message, MessageRecord& record);
  // The bytes that an accelerator other than the origin has moved.
  MemoryModule::Moved moved(NodeId accelerator) const;

 private:
  using Image = schedule::SymmetricTables::Image;
  struct Accesses {
    Bytes read = 0;
    Bytes written = 0;
  };
  struct Node {
    GradientMemory* contents;
    Accesses own;
  };
  // The data of those images of a message whose data is checked, concatenated by sender. Contributions are
  // stored as runs of equal words, because in large systems most words of a set are equal.
  class Payloads {
   public:
    void clear();
    // `sender` must exceed the senders of all earlier calls.
    void add(std::size_t sender, const Payload& payload);
    std::size_t size() const { return ends_.size(); }
    std::size_t sender(std::size_t i) const { return ends_[i].sender; }
    void copy(std::size_t i, Payload& into) const;
    // Clears `into` if there is no data of the sender.
    void copy_of(std::size_t sender, Payload& into) const;

   private:
    struct Run {
      std::uint64_t word;
      std::uint32_t count;
    };
    struct End {
      std::size_t sender = 0;
      std::size_t values = 0;
      std::size_t runs = 0;
    };
    std::vector<End> ends_;  // the ends of the senders' data
    std::vector<float> values_;
    std::vector<Run> runs_;
  };
  struct InFlight {
    std::size_t slot = 0;
    std::size_t index = 0;
    TableEntry incoming;  // the entry of the image that arrives at the origin
    Payloads payloads;
  };
  class Reported;  // the images of a message, as observers see them

  InFlight& in_flight(std::uint64_t message) {
    if (in_flight_.size() <= message) in_flight_.resize(message + 1);
    return in_flight_[message];
  }
  // [accelerator]: the port of a slot.
  std::span<const int> ports_of(std::size_t slot) const {
    return std::span(ports_).subspan(slot * accelerators_, accelerators_);
  }
  bool is_checked(Bytes address, Bytes bytes) const;
  // Finds the owners of chunks with checked data.
  void find_checked_owners();
  // Counts the bytes that the images of an issued message will have moved, with `adds` if their receivers add
  // them to old values. Stores the senders of checked data in senders_, in ascending order.
  void read_images(const InFlight& sent, bool adds);
  // The entry of a slot at accelerator `n`. The reference is valid until the next call.
  const TableEntry& entry(std::size_t n, std::size_t slot, std::size_t index) {
    tables_->read(slot, index, static_cast<NodeId>(n), entry_);
    return entry_;
  }

  const schedule::Schedule* schedule_;
  const schedule::SymmetricTables* tables_;
  const schedule::TablePattern* pattern_;  // nullptr if the tables are not a pattern
  const fabric::RouteImages* routes_;
  NodeId origin_;
  MessageLog* log_;
  std::size_t accelerators_;
  std::vector<int> ports_;  // [slot * accelerators + accelerator]
  std::vector<Node> nodes_;
  // The accesses of every accelerator but the origin. All images in a pattern have the same number of bytes.
  Accesses common_;
  std::optional<std::span<const Bytes>> checked_;    // as in GradientMemory
  std::vector<std::vector<NodeId>> checked_owners_;  // [piece of a chunk]; for a pattern
  std::vector<InFlight> in_flight_;                  // [message]
  TableEntry entry_;
  Payload payload_;            // payload of one image
  std::vector<Image> images_;  // [sender]; of one message, unless the tables are a pattern
  std::vector<NodeId> senders_;
};

}  // namespace coppice::ni
