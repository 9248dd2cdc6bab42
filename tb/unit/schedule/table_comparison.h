#pragma once

#include <rapidcheck.h>

#include "schedule/proof/checker.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether two entries agree in all fields except their route numbers.
inline bool same(const TableEntry& a, const TableEntry& b) {
  return a.op == b.op && a.flow == b.flow && a.parent == b.parent && a.children == b.children &&
         a.step == b.step && a.dependencies == b.dependencies && a.arrival == b.arrival &&
         a.address == b.address && a.bytes == b.bytes && a.padding == b.padding;
}

// Requires that two schedules have equal entries and routes; route numbers may differ.
inline void require_same_tables(const Schedule& a, const Schedule& b) {
  RC_ASSERT(a.steps == b.steps);
  RC_ASSERT(a.flows == b.flows);
  RC_ASSERT(a.size == b.size);
  RC_ASSERT(a.nodes.size() == b.nodes.size());
  for (std::size_t node = 0; node < a.nodes.size(); ++node) {
    RC_ASSERT(a.nodes[node].ports.size() == b.nodes[node].ports.size());
    for (std::size_t port = 0; port < a.nodes[node].ports.size(); ++port) {
      const Table& left = a.nodes[node].ports[port];
      const Table& right = b.nodes[node].ports[port];
      RC_ASSERT(left.size() == right.size());
      RC_ASSERT(left.messages() == right.messages());
      for (std::size_t i = 0; i < left.size(); ++i) {
        const TableEntry x = left[i];
        const TableEntry y = right[i];
        RC_ASSERT(same(x, y));
        RC_ASSERT((x.route < 0) == (y.route < 0));
        if (x.route < 0) continue;
        RC_ASSERT(a.routes[static_cast<std::size_t>(x.route)] == b.routes[static_cast<std::size_t>(y.route)]);
      }
    }
  }
}

inline void require_same_report(const CheckReport& a, const CheckReport& b) {
  RC_ASSERT(a.contention_free == b.contention_free);
  RC_ASSERT(a.disjoint_steps == b.disjoint_steps);
  RC_ASSERT(a.additions == b.additions);
}

}  // namespace coppice::schedule
