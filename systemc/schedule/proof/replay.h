#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::schedule {

// One entry of a table that is not a nop, seen as the message it sends.
struct Message {
  const TableEntry* entry = nullptr;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;  // where its route ejects it
  std::int32_t src_port = 0;       // NI port
  std::int32_t ejection_port = 0;  // NI port
  std::int32_t round = -1;         // of the replay: it sees what earlier rounds delivered
  std::int32_t arrival = -1;       // the number of its arrival among those of its flow at dst, from 0
};

// "flow 3 at bytes 64..128, accelerator 5, step 7": the place of an error.
std::string place_of(const Message& message);

// Every message of the tables, after checking each entry by itself: fields in range, addresses inside the
// buffer in whole elements, steps of a port in order, a route over channels that exist to an NI port of the
// destination. Throws ScheduleError. `schedule` must outlive the result.
std::vector<Message> collect_messages(const topology::Topology& topology, const Schedule& schedule);

// The checks of one message by itself, and where its route leads.
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

// Throws ScheduleError if the tables are not for the topology's accelerators and switches that add.
void require_tables_of(const topology::Topology& topology, const Schedule& schedule);

// Runs the tables by the network interface's rule, timestep by timestep and without any data: a port issues
// its entries in order, each when as many messages of its flow have arrived as it depends on. Fills in
// `round` and `arrival`. With a pattern, `messages` are the origin's, and those of all others follow from
// them. Of a schedule with numbered arrivals the round is the longest chain of messages that
// have to arrive before, whatever other flows do. Throws ScheduleError naming the earliest entry that never
// issues, or an arrival whose number is not its own.
void replay(const Schedule& schedule, std::vector<Message>& messages,
            const SymmetricTables* pattern = nullptr);

}  // namespace coppice::schedule
