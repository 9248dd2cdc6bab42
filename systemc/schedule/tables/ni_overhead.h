#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The longest message of a schedule on the network; flow control decides what it becomes.
struct MessageLength {
  std::int64_t flits = 0;
  std::int64_t packets = 0;
};

// A table entry in hardware: the bits of its fields in the order in which they are packed, from bit 0, each
// no wider than the schedule needs. rtl/ni/ni_port.v has the same fields at widths fixed for all schedules.
struct TableLayout {
  int op = 2;               // reduce, gather, nop
  int flow = 0;             // tree or chunk identity
  int dependencies = 0;     // arrivals of the flow to wait for
  int step = 0;             // timestep
  int address = 0;          // of the data, in elements
  int elements = 0;         // of the data
  int padded_elements = 0;  // with padding; none where nothing is padded
  int flits = 0;            // of the message: what the lockstep counter is loaded with
  int packets = 0;          // of the message
  int arrival = 0;          // its number at the destination, where arrivals are numbered
  int route = 0;  // per hop an output port, and a choice of virtual channels where routes differ in it
  int first = 0;  // folded tables: the first iteration of a line,
  int end = 0;    // and that after its last one

  // In order, by name.
  std::vector<std::pair<const char*, int>> fields() const;
  int entry_bits() const;

  bool operator==(const TableLayout&) const = default;
};

// Tables folded into loops (table_loop.h): flow, address and timestep are those of iteration 0 and may be
// signed.
struct FoldedTables {
  TableLayout layout;
  std::int64_t port_lines = 0;  // of the fullest port
  std::int64_t node_lines = 0;  // of the accelerator that has most
  double mean_node_lines = 0;   // over the accelerators
  Bytes table_bytes = 0;        // of the accelerator that has most, its lines packed
  // Per accelerator: iteration, strides, and what they have added up to, of all ports.
  Bytes loop_bytes = 0;
};

// The hardware that executing a schedule takes in every accelerator's network interface, beside what any
// network interface has (MultiTree paper, Sec. IV: schedule table, timestep counter, lockstep counter).
struct NiOverhead {
  // The bits of a lockstep counter: it compares two times with a cycle counter (rtl/ni/lockstep_counter.v).
  static constexpr int kLockstepBits = 2 * 32;

  TableLayout layout;
  int accelerators = 0;
  int ports = 0;                  // per accelerator
  std::int64_t port_entries = 0;  // of the fullest port
  std::int64_t node_entries = 0;  // of the accelerator that has most
  double mean_node_entries = 0;   // over the accelerators
  Bytes table_bytes = 0;          // of the accelerator that has most, its entries packed
  Bytes dependency_bytes = 0;     // per accelerator: a count of arrivals for every flow
  Bytes counter_bytes = 0;        // per accelerator: timestep and lockstep counters of all ports

  std::optional<FoldedTables> folded;  // where tables repeat

  // With an entry for each message and nop.
  Bytes node_bytes() const { return table_bytes + dependency_bytes + counter_bytes; }
  // As the network interface holds them.
  Bytes held_bytes() const {
    return folded ? folded->table_bytes + folded->loop_bytes + dependency_bytes + counter_bytes
                  : node_bytes();
  }
};

// `longest` is what the longest of the schedule's message_bytes() becomes.
NiOverhead ni_overhead(const topology::Topology& topology, const Schedule& schedule,
                       const MessageLength& longest);

// The bytes of the longest message, padding included; 0 if there is none.
Bytes longest_message(const Schedule& schedule);

std::string to_text(const NiOverhead& overhead);
nlohmann::ordered_json to_json(const NiOverhead& overhead);

}  // namespace coppice::schedule
