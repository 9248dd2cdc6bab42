#include "schedule/tables/translated_tables.h"

#include <algorithm>

namespace coppice::schedule {

TablePattern::TablePattern(Translations moves, Spec spec) : moves_(std::move(moves)), spec_(std::move(spec)) {
  for (const auto& slot : spec_.slots) {
    messages_.push_back(
        std::ranges::count_if(slot, [](const TableEntry& entry) { return entry.op != Op::kNop; }));
    auto& ways = slot_ways_.emplace_back();
    for (const TableEntry& entry : slot) {
      if (entry.route >= 0 && std::ranges::find(ways, entry.route) == ways.end()) ways.push_back(entry.route);
    }
  }
}

const TablePattern* TablePattern::of_all(const Schedule& schedule) {
  const TablePattern* pattern = nullptr;
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    std::vector<int> times(pattern == nullptr ? 0 : pattern->slots(), 0);
    for (const Table& table : schedule.nodes[node].ports) {
      if (table.source() == nullptr && table.empty()) continue;
      if (pattern == nullptr && table.pattern() != nullptr) {
        pattern = table.pattern();
        times.resize(pattern->slots(), 0);
      }
      const bool own =
          pattern != nullptr && table.source() == pattern && table.node() == static_cast<NodeId>(node);
      if (!own) return nullptr;
      ++times[table.slot()];
    }
    if (std::ranges::any_of(times, [](int count) { return count != 1; })) return nullptr;
  }
  return pattern != nullptr && pattern->moves().nodes() == schedule.nodes.size() ? pattern : nullptr;
}

std::vector<std::int32_t> TablePattern::routes(std::size_t slot, NodeId node) const {
  std::vector<std::int32_t> routes;
  for (const std::int32_t way : ways_of(slot)) routes.push_back(route(node, way));
  return routes;
}

void TablePattern::read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const {
  const TableEntry& at_origin = spec_.slots[slot][i];
  entry.op = at_origin.op;
  entry.step = at_origin.step;
  entry.dependencies = at_origin.dependencies;
  entry.arrival = 0;
  entry.bytes = at_origin.bytes;
  entry.padding = 0;
  if (entry.children.size() != at_origin.children.size()) entry.children.resize(at_origin.children.size());
  if (at_origin.op == Op::kNop) {
    entry.flow = -1;
    entry.parent = topology::kNoNode;
    entry.address = 0;
    entry.route = -1;
    return;
  }
  entry.flow = moved_flow(at_origin.flow, node);
  entry.parent =
      at_origin.parent == topology::kNoNode ? topology::kNoNode : moves_.moved(at_origin.parent, node);
  for (std::size_t c = 0; c < entry.children.size(); ++c) {
    entry.children[c] = moves_.moved(at_origin.children[c], node);
  }
  entry.address = entry.flow * spec_.bytes;
  entry.route = route(node, at_origin.route);
}

}  // namespace coppice::schedule
