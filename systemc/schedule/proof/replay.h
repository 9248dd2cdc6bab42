#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::schedule {

// The message that a table entry sends.
struct Message {
  const TableEntry* entry = nullptr;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;  // the node at which the route ends
  std::int32_t src_port = 0;       // NI port at the sender
  std::int32_t ejection_port = 0;  // NI port at the destination
  std::int32_t round = -1;         // number of the replay round in which the message is sent
  std::int32_t arrival = -1;       // index among the arrivals of its flow at dst
};

// The message's location for error messages, such as "flow 3 at bytes 64..128, accelerator 5, step 7:
// reduce".
std::string place_of(const Message& message);

// Collects all messages of the tables and checks each entry individually. The fields of an entry must be in
// range, its data must consist of whole elements inside the buffer, its step must not precede that of the
// port's previous entry, and its route must follow existing channels to an NI port of the destination. Throws
// ScheduleError if an entry is invalid. `schedule` must outlive the result.
std::vector<Message> collect_messages(const topology::Topology& topology, const Schedule& schedule);

// Checks individual messages and finds where their routes lead.
class EntryCheck {
 public:
  EntryCheck(const topology::Topology& topology, const Schedule& schedule)
      : topology_(topology), schedule_(schedule) {}

  // Fills in `dst` and `ejection_port`; throws ScheduleError if the message is invalid.
  void check(Message& message) const;

 private:
  void check_fields(const Message& message) const;
  void follow_route(Message& message) const;
  void check_ejection(const Message& message, bool last_hop) const;

  const topology::Topology& topology_;
  const Schedule& schedule_;
};

// Throws ScheduleError if the tables do not match the topology's accelerators and reducing switches.
void require_tables_of(const topology::Topology& topology, const Schedule& schedule);

// Executes the tables as network interfaces do, timestep by timestep but without data: a port issues its
// entries in order, each as soon as the number of arrivals of its flow reaches the entry's dependencies.
// Fills in `round` and `arrival`. With a pattern, `messages` are the origin's messages, from which those of
// all other accelerators follow. If the schedule has numbered arrivals, a message's round is the length of
// the longest chain of messages that must arrive before it, regardless of other flows. Throws a ScheduleError
// that names the earliest entry that never issues, or an arrival with a wrong number.
void replay(const Schedule& schedule, std::vector<Message>& messages,
            const SymmetricTables* pattern = nullptr);

}  // namespace coppice::schedule
