#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::schedule {

// A table entry other than a nop, as the message it sends.
struct Message {
  const TableEntry* entry = nullptr;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;  // the node at which its route ejects it
  std::int32_t src_port = 0;       // NI port at the sender
  std::int32_t ejection_port = 0;  // NI port at the destination
  std::int32_t round = -1;         // round of the replay: the message uses the arrivals of earlier rounds
  std::int32_t arrival = -1;       // index among the arrivals of its flow at dst
};

// The message's location for error messages, such as "flow 3 at bytes 64..128, accelerator 5, step 7".
std::string place_of(const Message& message);

// All messages of the tables, after checking each entry individually: fields in range, addresses inside the
// buffer in whole elements, steps of a port in order, and a route over existing channels to an NI port of the
// destination. Throws ScheduleError. `schedule` must outlive the result.
std::vector<Message> collect_messages(const topology::Topology& topology, const Schedule& schedule);

// Checks individual messages and finds where their routes lead.
class EntryCheck {
 public:
  EntryCheck(const topology::Topology& topology, const Schedule& schedule)
      : topology_(topology), schedule_(schedule) {}

  // Throws ScheduleError, or fills in `dst` and `ejection_port`.
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

// Executes the tables by the network interface's rule, timestep by timestep and without data: a port issues
// its entries in order, each once the number of arrivals of its flow reaches its dependencies. Fills in
// `round` and `arrival`. With a pattern, `messages` are the origin's; the messages of all other accelerators
// follow from them. If the schedule has numbered arrivals, a message's round is the length of the longest
// chain of messages that must arrive before it, regardless of other flows. Throws ScheduleError naming the
// earliest entry that never issues, or an arrival with the wrong number.
void replay(const Schedule& schedule, std::vector<Message>& messages,
            const SymmetricTables* pattern = nullptr);

}  // namespace coppice::schedule
