#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The length of a schedule's longest message in flits and packets.
struct MessageLength {
  std::int64_t flits = 0;
  std::int64_t packets = 0;
};

// The widths in bits of the fields of a table entry in hardware, in packing order from bit 0. No field is
// wider than the schedule needs. In rtl/ni/ni_port.v, the same fields have widths fixed for all schedules.
struct TableLayout {
  int op = 2;               // reduce, gather, nop
  int flow = 0;             // tree or chunk identity
  int dependencies = 0;     // number of arrivals of the flow for which the entry waits
  int step = 0;             // timestep
  int address = 0;          // address of the data, in elements
  int elements = 0;         // length of the data, in elements
  int padded_elements = 0;  // length including padding, in elements; 0 bits if nothing is padded
  int flits = 0;            // length of the message in flits, the initial value of the lockstep counter
  int packets = 0;          // length of the message in packets
  int arrival = 0;          // arrival number at the destination, if arrivals are numbered
  int route = 0;            // an output port per hop, and the choice of virtual channels if hops differ in it
  int first = 0;            // folded tables: the first iteration of a line
  int end = 0;              // folded tables: one past the last iteration of a line

  // The names and widths of all fields, in packing order.
  std::vector<std::pair<const char*, int>> fields() const;
  int entry_bits() const;

  bool operator==(const TableLayout&) const = default;
};

// Tables folded into loops (table_loop.h). The flow, address and timestep of a line refer to iteration 0 and
// may be negative.
struct FoldedTables {
  TableLayout layout;
  std::int64_t port_lines = 0;  // maximum number of lines at a port
  std::int64_t node_lines = 0;  // maximum number of lines at an accelerator
  double mean_node_lines = 0;   // mean number of lines per accelerator
  Bytes table_bytes = 0;        // size of node_lines packed lines
  // The size of the loop registers of all ports of an accelerator: iteration, strides, and accumulated
  // offsets.
  Bytes loop_bytes = 0;
};

// The hardware that every accelerator's network interface needs to execute a schedule (MultiTree paper, Sec.
// IV: schedule table, timestep counter, lockstep counter).
struct NiOverhead {
  // The size of a lockstep counter in bits. The counter stores two times, which it compares with a cycle
  // counter (rtl/ni/lockstep_counter.v).
  static constexpr int kLockstepBits = 2 * 32;

  TableLayout layout;
  int accelerators = 0;
  int ports = 0;                  // ports per accelerator
  std::int64_t port_entries = 0;  // maximum number of entries at a port
  std::int64_t node_entries = 0;  // maximum number of entries at an accelerator
  double mean_node_entries = 0;   // mean number of entries per accelerator
  Bytes table_bytes = 0;          // size of node_entries packed entries
  Bytes dependency_bytes = 0;     // size of the arrival counts of all flows at an accelerator
  Bytes counter_bytes = 0;        // size of the timestep and lockstep counters of all ports of an accelerator

  std::optional<FoldedTables> folded;  // set if tables repeat

  // The memory size of unfolded tables, with one entry for each message and nop.
  Bytes node_bytes() const { return table_bytes + dependency_bytes + counter_bytes; }
  // The memory size of tables as the network interface stores them: folded if possible.
  Bytes held_bytes() const {
    return folded ? folded->table_bytes + folded->loop_bytes + dependency_bytes + counter_bytes
                  : node_bytes();
  }
};

// `longest` is the length of the schedule's longest message.
NiOverhead ni_overhead(const topology::Topology& topology, const Schedule& schedule,
                       const MessageLength& longest);

// The bytes of the longest message, including padding; 0 if there are no messages.
Bytes longest_message(const Schedule& schedule);

std::string to_text(const NiOverhead& overhead);
nlohmann::ordered_json to_json(const NiOverhead& overhead);

}  // namespace coppice::schedule
