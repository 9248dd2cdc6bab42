#include "schedule/table.h"

#include <algorithm>

#include "schedule/table_pattern.h"

namespace coppice::schedule {

Table::Table(std::shared_ptr<const TablePattern> pattern, std::size_t slot, NodeId node)
    : pattern_(std::move(pattern)),
      pattern_size_(pattern_->entries(slot).size()),
      slot_(static_cast<std::uint32_t>(slot)),
      node_(node) {}

TableEntry Table::operator[](std::size_t i) const {
  if (pattern_ == nullptr) return entries_[i];
  TableEntry entry;
  read(i, entry);
  return entry;
}

void Table::read(std::size_t i, TableEntry& entry) const {
  if (pattern_ == nullptr) {
    entry = entries_[i];
  } else {
    pattern_->read(slot_, i, node_, entry);
  }
}

std::int64_t Table::messages() const {
  const std::span<const TableEntry> entries = pattern_ == nullptr ? entries_ : pattern_->entries(slot_);
  return std::ranges::count_if(entries, [](const TableEntry& entry) { return entry.op != Op::kNop; });
}

std::vector<std::int32_t> Table::pattern_routes() const {
  std::vector<std::int32_t> routes;
  for (const std::int32_t way : pattern_->ways_of(slot_)) routes.push_back(pattern_->route(node_, way));
  return routes;
}

void Table::store() {
  std::vector<TableEntry> entries(pattern_size_);
  for (std::size_t i = 0; i < entries.size(); ++i) read(i, entries[i]);
  entries_ = std::move(entries);
  pattern_ = nullptr;
}

}  // namespace coppice::schedule
