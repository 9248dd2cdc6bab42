#pragma once

#include <cstdint>

#include "schedule/tables/program_tables.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::schedule {

// Calls `visit(node, entry, count)` once for each set of a node's entries that differ only in flow, address
// and step. `entry` has the largest address and step of the set; `count` is the number of entries in the set.
// This is faster than visiting every entry if flows, exact addresses and exact steps do not matter.
template <typename Visit>
void for_each_alike_entry(const Schedule& schedule, Visit visit) {
  const ProgramTables* const programs = ProgramTables::of_all(schedule);
  if (programs == nullptr) {
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
      for (const Table& port : schedule.nodes[node].ports) {
        port.for_each_entry(
            [&](const TableEntry& entry) { visit(static_cast<NodeId>(node), entry, std::int64_t{1}); });
      }
    }
    return;
  }
  TableEntry entry;
  for (const auto& [turn, step, count] : programs->alike_turns()) {
    entry.step = step;
    for (NodeId node = 0; node < static_cast<NodeId>(schedule.nodes.size()); ++node) {
      programs->read_turn(turn, node, entry);
      visit(node, entry, count);
    }
  }
}

// Like for_each_alike_entry(), but for uses that do not depend on the accelerator either: calls
// `visit(entry)` once for each set of entries, from all accelerators, that differ only in flow, address, step
// and the nodes they name.
template <typename Visit>
void for_each_alike_entry_of_any(const Schedule& schedule, Visit visit) {
  const TablePattern* const pattern = TablePattern::of_all(schedule);
  if (pattern == nullptr) {
    for_each_alike_entry(schedule, [&](NodeId, const TableEntry& entry, std::int64_t) { visit(entry); });
    return;
  }
  TableEntry last;
  for (std::size_t slot = 0; slot < pattern->slots(); ++slot) {
    for (const TableEntry& entry : pattern->entries(slot)) {
      last = entry;
      if (entry.op != Op::kNop) last.address = pattern->last_address(entry);
      visit(last);
    }
  }
}

}  // namespace coppice::schedule
