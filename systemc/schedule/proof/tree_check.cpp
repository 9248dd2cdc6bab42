#include "schedule/proof/tree_check.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "schedule/proof/contention.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

// The state of an accelerator in a tree after the messages so far.
struct Progress {
  std::uint8_t arrivals = 0;
  bool summed = false;        // whether the accelerator has sent its sum
  bool stored = false;        // whether the final value from its parent has been stored
  std::uint16_t deepest = 0;  // maximum number of additions in a sum that arrived
};

class TreeCheck {
 public:
  TreeCheck(const Topology& topology, const Schedule& schedule, const TreeTables& tables)
      : schedule_(schedule),
        tables_(tables),
        entry_check_(topology, schedule),
        contention_(search_contention(topology, schedule, report_)),
        progress_(tables.nodes() * tables.trees()),
        sums_(tables.trees(), 0),
        stores_(tables.trees(), 0) {
    report_.additions.resize(tables.trees(), 0);
  }

  bool holds() {
    for (std::int32_t step = 1; step <= schedule_.steps; ++step) {
      if (!collect(step)) return false;
      if (!std::ranges::all_of(messages_, [this](const Message& message) { return may_send(message); })) {
        return false;
      }
      if (!std::ranges::all_of(messages_, [this](const Message& message) { return deliver(message); })) {
        return false;
      }
      contention_->add_step(order_);
    }
    return is_whole();
  }
  CheckReport take_report() { return std::move(report_); }

 private:
  Progress& progress(NodeId node, std::int32_t tree) {
    return progress_[static_cast<std::size_t>(node) * tables_.trees() + static_cast<std::size_t>(tree)];
  }
  bool reduces() const { return schedule_.collective != Collective::kAllGather; }
  bool gathers() const { return schedule_.collective != Collective::kReduceScatter; }

  // Collects the messages of a timestep. Entry i of a table has step i + 1.
  bool collect(std::int32_t step) {
    const auto i = static_cast<std::size_t>(step) - 1;
    messages_.clear();
    entries_.resize(tables_.nodes() * tables_.ports());
    for (std::size_t node = 0; node < tables_.nodes(); ++node) {
      const auto& ports = schedule_.nodes[node].ports;
      for (std::size_t port = 0; port < ports.size(); ++port) {
        if (i >= ports[port].size()) continue;
        TableEntry& entry = entries_[messages_.size()];
        ports[port].read_message(i, entry);
        if (entry.step != step) return false;
        if (entry.op == Op::kNop) continue;
        Message& message = messages_.emplace_back();
        message.entry = &entry;
        message.src = static_cast<NodeId>(node);
        message.src_port = static_cast<std::int32_t>(port);
        message.round = step;
        entry_check_.check(message);
      }
    }
    order_.clear();
    for (const Message& message : messages_) order_.push_back(&message);
    return true;
  }

  bool may_send(const Message& message) {
    const TableEntry& entry = *message.entry;
    const TreeTables::Place place = tables_.place(message.src, entry.flow);
    const bool root = place.up == TreeTables::Place::kRoot;
    const Chunk& chunk = tables_.chunk(static_cast<std::size_t>(entry.flow));
    if (entry.address != chunk.address || entry.bytes != chunk.bytes) return false;
    Progress& src = progress(message.src, entry.flow);
    const int sums = reduces() ? place.children : 0;
    if (entry.op == Op::kReduce) {
      if (!reduces() || root || src.summed || src.stored ||
          message.dst != tables_.parent(message.src, entry.flow))
        return false;
      src.summed = true;
      return src.arrivals == sums && entry.dependencies == sums;
    }
    const int needed = sums + (root ? 0 : 1);
    if (!gathers() || src.arrivals != needed || entry.dependencies != needed) return false;
    // The root may send the first value only after all other accelerators have sent their sums.
    return !root || !reduces() || sums_[static_cast<std::size_t>(entry.flow)] + 1 == tables_.nodes();
  }

  bool deliver(const Message& message) {
    const TableEntry& entry = *message.entry;
    const auto tree = static_cast<std::size_t>(entry.flow);
    const int sums = reduces() ? tables_.place(message.dst, entry.flow).children : 0;
    Progress& dst = progress(message.dst, entry.flow);
    if (entry.op == Op::kReduce) {
      if (dst.summed || dst.stored || dst.arrivals >= sums) return false;
      const Progress& src = progress(message.src, entry.flow);
      ++dst.arrivals;
      dst.deepest = std::max(dst.deepest, static_cast<std::uint16_t>(src.deepest + src.arrivals));
      report_.additions[tree] = std::max(report_.additions[tree], dst.deepest + dst.arrivals);
      ++sums_[tree];
      return true;
    }
    if (dst.stored || dst.arrivals != sums || message.src != tables_.parent(message.dst, entry.flow))
      return false;
    ++dst.arrivals;
    dst.stored = true;
    ++stores_[tree];
    return true;
  }

  // Whether every tree has reached all accelerators and, unless the collective is an all-reduce, the root of
  // every tree owns the tree's data.
  bool is_whole() const {
    const std::size_t others = tables_.nodes() - 1;
    for (std::size_t tree = 0; tree < tables_.trees(); ++tree) {
      if (reduces() && sums_[tree] != others) return false;
      if (gathers() && stores_[tree] != others) return false;
    }
    return covers_all_data() && (schedule_.collective == Collective::kAllReduce || owners_are_roots());
  }

  bool covers_all_data() const {
    Bytes covered = 0;
    for (std::size_t tree = 0; tree < tables_.trees(); ++tree) {
      if (tables_.chunk(tree).address != covered || tables_.chunk(tree).bytes < 1) return false;
      covered += tables_.chunk(tree).bytes;
    }
    return covered == schedule_.size;
  }

  bool owners_are_roots() const {
    const std::vector<Share> shares = share_out(schedule_);
    std::size_t tree = 0;
    for (const Share& share : shares) {
      const Bytes end = share.data.address + share.data.bytes;
      for (; tree < tables_.trees() && tables_.chunk(tree).address < end; ++tree) {
        const Chunk& chunk = tables_.chunk(tree);
        if (chunk.address < share.data.address || chunk.address + chunk.bytes > end) return false;
        if (tables_.parent(share.owner, static_cast<std::int32_t>(tree)) != topology::kNoNode) return false;
      }
    }
    return tree == tables_.trees();
  }

  const Schedule& schedule_;
  const TreeTables& tables_;
  EntryCheck entry_check_;
  CheckReport report_;
  std::unique_ptr<ContentionSearch> contention_;
  std::vector<Progress> progress_;   // see progress()
  std::vector<std::size_t> sums_;    // [tree]: number of sums sent
  std::vector<std::size_t> stores_;  // [tree]: number of values stored
  // The following members hold the messages of one timestep.
  std::vector<TableEntry> entries_;
  std::vector<Message> messages_;
  std::vector<const Message*> order_;
};

}  // namespace

const TreeTables* tree_tables_of(const Topology& topology, const Schedule& schedule) {
  if (schedule.nodes.empty() || schedule.nodes.front().ports.empty()) return nullptr;
  const auto* tables = dynamic_cast<const TreeTables*>(schedule.nodes.front().ports.front().source());
  const bool plain = !schedule.numbered_arrivals && !schedule.ordered_by_lockstep && schedule.adders == 0 &&
                     schedule.shares.empty();
  if (tables == nullptr || !plain || tables->nodes() != schedule.nodes.size()) return nullptr;
  if (topology.num_accelerators() != schedule.accelerators() ||
      tables->trees() != static_cast<std::size_t>(schedule.flows)) {
    return nullptr;
  }
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    const auto& ports = schedule.nodes[node].ports;
    if (ports.size() != tables->ports()) return nullptr;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const bool own = ports[port].source() == tables && ports[port].node() == static_cast<NodeId>(node) &&
                       ports[port].slot() == node * tables->ports() + port;
      if (!own) return nullptr;
    }
  }
  return tables;
}

std::optional<CheckReport> check_trees(const Topology& topology, const Schedule& schedule,
                                       const TreeTables& tables) {
  TreeCheck check(topology, schedule, tables);
  if (!check.holds()) return std::nullopt;
  return check.take_report();
}

}  // namespace coppice::schedule
