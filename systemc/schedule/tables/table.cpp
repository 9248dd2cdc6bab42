#include "schedule/tables/table.h"

#include <algorithm>

namespace coppice::schedule {

Table::Table(std::shared_ptr<const TableSource> source, std::size_t slot, NodeId node)
    : source_(std::move(source)),
      source_size_(source_->size(slot)),
      slot_(static_cast<std::uint32_t>(slot)),
      node_(node) {}

TableEntry Table::operator[](std::size_t i) const {
  if (source_ == nullptr) return entries_[i];
  TableEntry entry;
  read(i, entry);
  return entry;
}

void Table::read(std::size_t i, TableEntry& entry) const {
  if (source_ == nullptr) {
    entry = entries_[i];
  } else {
    source_->read(slot_, i, node_, entry);
  }
}

void Table::read_message(std::size_t i, TableEntry& entry) const {
  if (source_ == nullptr) {
    entry = entries_[i];
  } else {
    source_->read_message(slot_, i, node_, entry);
  }
}

std::int64_t Table::messages() const {
  if (source_ != nullptr) return source_->messages(slot_);
  return std::ranges::count_if(entries_, [](const TableEntry& entry) { return entry.op != Op::kNop; });
}

const TablePattern* Table::pattern() const {
  return source_ == nullptr ? nullptr : source_->pattern();
}

void Table::store() {
  std::vector<TableEntry> entries(source_size_);
  for (std::size_t i = 0; i < entries.size(); ++i) read(i, entries[i]);
  entries_ = std::move(entries);
  source_ = nullptr;
}

}  // namespace coppice::schedule
