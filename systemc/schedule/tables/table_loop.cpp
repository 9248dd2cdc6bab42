#include "schedule/tables/table_loop.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace coppice::schedule {
namespace {

// If the number of lines exceeds this share of the number of entries, folding saves less memory than the
// lines' `first` and `end` fields cost.
constexpr double kWorthwhile = 0.75;
constexpr std::size_t kFewEntries = 8;

void move_by(TableEntry& entry, const Repetition& stride, std::int32_t iterations) {
  entry.step += iterations * stride.step;
  if (entry.op == Op::kNop) return;
  entry.flow += iterations * stride.flow;
  entry.address += iterations * stride.address;
}

bool same(const TableEntry& a, const TableEntry& b) {
  return a.op == b.op && a.flow == b.flow && a.parent == b.parent && a.step == b.step &&
         a.dependencies == b.dependencies && a.arrival == b.arrival && a.address == b.address &&
         a.bytes == b.bytes && a.route == b.route && a.padding == b.padding && a.children == b.children;
}

std::uint64_t hash_of(const TableEntry& entry) {
  std::uint64_t hash = 0;
  for (const std::int64_t field :
       {std::int64_t{static_cast<std::uint8_t>(entry.op)}, std::int64_t{entry.flow}, std::int64_t{entry.step},
        std::int64_t{entry.address}, std::int64_t{entry.bytes}, std::int64_t{entry.route},
        std::int64_t{entry.dependencies}}) {
    hash = (hash ^ static_cast<std::uint64_t>(field)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

// Assigns entries to lines, iteration by iteration. In every iteration, the entries have the same order as
// their lines.
class Folder {
 public:
  explicit Folder(const Repetition& stride) : stride_(stride) {}

  // An entry of an iteration. `base` is the entry as in iteration 0 of the loop, and `offset` is the entry's
  // step relative to the start of its iteration.
  struct Item {
    TableEntry base;
    std::int32_t offset = 0;
  };
  void add(std::int32_t iteration, std::vector<Item>& items) {
    std::vector<std::int32_t> known(items.size(), -1);  // [item]: the line that the item continues; -1: none
    for (std::size_t i = 0; i < items.size(); ++i) known[i] = line_before(iteration, items[i].base);
    std::size_t at = 0;  // position in order_ after the previous item's line
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (known[i] >= 0 && place_[index(known[i])] >= at) {
        lines_[index(known[i])].end = iteration + 1;
        at = place_[index(known[i])] + 1;
        continue;
      }
      std::size_t limit = order_.size();
      for (std::size_t next = i + 1; next < items.size(); ++next) {
        if (known[next] < 0 || place_[index(known[next])] < at) continue;
        limit = place_[index(known[next])];
        break;
      }
      while (at < limit && offset_[index(order_[at])] <= items[i].offset) ++at;
      insert(at++, iteration, std::move(items[i]));
    }
  }
  std::size_t size() const { return lines_.size(); }
  std::vector<TableLine> take() {
    std::vector<TableLine> lines;
    lines.reserve(order_.size());
    for (const std::int32_t line : order_) lines.push_back(std::move(lines_[index(line)]));
    return lines;
  }

 private:
  static std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

  // The line with base `base` that was used up to the previous iteration; -1 if there is none.
  std::int32_t line_before(std::int32_t iteration, const TableEntry& base) const {
    const auto [begin, end] = by_hash_.equal_range(hash_of(base));
    for (auto it = begin; it != end; ++it) {
      const TableLine& line = lines_[index(it->second)];
      if (line.end == iteration && same(line.base, base)) return it->second;
    }
    return -1;
  }
  void insert(std::size_t at, std::int32_t iteration, Item item) {
    const auto line = static_cast<std::int32_t>(lines_.size());
    by_hash_.emplace(hash_of(item.base), line);
    lines_.push_back({.base = std::move(item.base), .first = iteration, .end = iteration + 1});
    offset_.push_back(item.offset);
    place_.push_back(at);
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at), line);
    for (std::size_t i = at + 1; i < order_.size(); ++i) place_[index(order_[i])] = i;
  }

  Repetition stride_;
  std::vector<TableLine> lines_;
  std::vector<std::int32_t> offset_;  // [line]: Item::offset
  std::vector<std::size_t> place_;    // [line]: position of the line in order_
  std::vector<std::int32_t> order_;
  std::unordered_multimap<std::uint64_t, std::int32_t> by_hash_;
};

}  // namespace

TableLoop::TableLoop(const Table& table, const Repetition& repetition, bool nops) : stride_(repetition) {
  if (repetition.step > 0 && table.size() >= kFewEntries) fold(table, nops);
  if (!lines_.empty()) return;
  stride_ = {};
  iterations_ = table.empty() ? 0 : 1;
  table.for_each_entry([&](const TableEntry& entry) {
    if (nops || entry.op != Op::kNop) lines_.push_back({.base = entry});
  });
  entries_ = static_cast<std::int64_t>(lines_.size());
}

void TableLoop::fold(const Table& table, bool nops) {
  Folder folder(stride_);
  const auto most = static_cast<std::size_t>(kWorthwhile * static_cast<double>(table.size()));
  std::vector<Folder::Item> items;
  std::int32_t first_step = -1;
  std::int32_t iteration = 0;
  for (std::size_t i = 0; i < table.size() && folder.size() <= most; ++i) {
    TableEntry entry = table[i];
    if (entry.op == Op::kNop && !nops) continue;
    if (first_step < 0) first_step = entry.step;
    const std::int32_t due = std::max((entry.step - first_step) / stride_.step, iteration);
    if (due > iteration) {
      folder.add(iteration, items);
      items.clear();
      iteration = due;
    }
    const std::int32_t offset = entry.step - first_step - iteration * stride_.step;
    move_by(entry, stride_, -iteration);
    items.push_back({std::move(entry), offset});
    ++entries_;
  }
  folder.add(iteration, items);
  iterations_ = iteration + 1;
  if (folder.size() <= most) {
    lines_ = folder.take();
  } else {
    entries_ = 0;
  }
}

TableLoop::Place TableLoop::next_active(Place place, std::int32_t& passed) const {
  passed = 0;
  while (!lines_[static_cast<std::size_t>(place.line)].active(place.iteration)) {
    place = after(place);
    ++passed;
  }
  return place;
}

void TableLoop::read(Place place, TableEntry& entry) const {
  entry = lines_[static_cast<std::size_t>(place.line)].base;
  move_by(entry, stride_, place.iteration);
}

}  // namespace coppice::schedule
