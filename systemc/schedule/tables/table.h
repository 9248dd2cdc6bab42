#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

class TablePattern;
class TableSource;

// The operation that a network interface performs for a table entry.
enum class Op : std::uint8_t {
  kReduce,  // send the partial sum to the parent, which adds it
  kGather,  // send the final value to the children, which store it
  kNop,     // let the lockstep wait for one step
};

const char* to_string(Op op);

// The nodes that an entry names, usually at most two. They are stored inline, because a large system has
// millions of entries.
using NodeList = boost::container::small_vector<NodeId, 2>;

// One line of a reduce-schedule table (the network interface of the MultiTree paper). The entries of a port
// issue in order.
struct TableEntry {
  Op op = Op::kNop;
  std::int32_t flow = -1;  // tree or chunk identity; -1 for a nop
  // The destination of a reduce, or the node from which the value of a gather came (kNoNode at the root).
  NodeId parent = topology::kNoNode;
  NodeList children;      // nodes whose partial sums a reduce includes, or destination of a gather
  std::int32_t step = 0;  // timestep, from 1, in which the entry may start
  // The number of arrivals of `flow` at this node that must have been reduced or stored before the entry
  // issues.
  std::int32_t dependencies = 0;
  std::int32_t arrival = 0;  // index among the flow's arrivals at the destination, if numbered_arrivals
  Bytes address = 0;         // address of the data in every accelerator's gradient buffer
  Bytes bytes = 0;           // length of the data; for a nop, that of the longest message of its step
  std::int32_t route = -1;   // index into Schedule::routes; -1 for a nop
  // Padding bytes sent after the data and dropped at the destination, so that all messages of a step take the
  // same time.
  std::int32_t padding = 0;

  // The length of the message on the network.
  Bytes message_bytes() const { return bytes + padding; }
  // The node to which the message is sent.
  NodeId destination() const { return op == Op::kReduce ? parent : children.front(); }
};

// Tables that accelerators share. A slot is one NI port at each accelerator. Entries are generated when they
// are read.
class TableSource {
 public:
  virtual ~TableSource() = default;

  virtual std::size_t size(std::size_t slot) const = 0;
  // The number of entries that are not nops.
  virtual std::int64_t messages(std::size_t slot) const = 0;
  // Reads entry i of a slot at `node`.
  virtual void read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const = 0;
  // Like read(), but sets only the destination among the nodes that an entry names, because an interface
  // needs no other node to execute the entry.
  virtual void read_message(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const {
    read(slot, i, node, entry);
  }
  // The route of an entry; -1 for a nop.
  virtual std::int32_t route_of(std::size_t slot, std::size_t i, NodeId node) const = 0;
  // The routes that a slot's entries take at `node`, each at least once.
  virtual std::vector<std::int32_t> routes(std::size_t slot, NodeId node) const = 0;
  // Returns this source as a pattern if it consists of one accelerator's tables and the moves that map them
  // to all other accelerators; otherwise nullptr.
  virtual const TablePattern* pattern() const { return nullptr; }
};

// The entries of one NI port, in the order in which they issue. A table reads like a vector of entries, but
// the entries may belong to a source shared by many accelerators; the first change gives the table its own
// copy. A reference obtained from an iterator is valid until the iterator advances, or as long as the table
// exists if its entries are stored().
class Table {
 public:
  class const_iterator;  // NOLINT(readability-identifier-naming): as in containers
  using value_type = TableEntry;
  using size_type = std::size_t;

  Table() = default;
  Table(std::vector<TableEntry> entries) : entries_(std::move(entries)) {}  // NOLINT: implicit
  // The entries of `node` in slot `slot` of the source.
  Table(std::shared_ptr<const TableSource> source, std::size_t slot, NodeId node);

  std::size_t size() const { return source_ == nullptr ? entries_.size() : source_size_; }
  bool empty() const { return size() == 0; }
  TableEntry operator[](std::size_t i) const;
  TableEntry front() const { return (*this)[0]; }
  TableEntry back() const { return (*this)[size() - 1]; }
  const_iterator begin() const;
  const_iterator end() const;
  // Reads entry i into `entry`, reusing its memory.
  void read(std::size_t i, TableEntry& entry) const;
  // Like read(), but sets only the destination among the nodes that the entry names
  // (TableSource::read_message()).
  void read_message(std::size_t i, TableEntry& entry) const;
  // Calls `visit` with every entry, as read by read_message(). An entry is valid only during the call.
  template <typename Visit>
  void for_each_entry(Visit visit) const {
    TableEntry made_up;
    for (std::size_t i = 0; i < size(); ++i) {
      if (source_ != nullptr) read_message(i, made_up);
      visit(source_ != nullptr ? std::as_const(made_up) : entries_[i]);
    }
  }
  // The number of entries that are not nops.
  std::int64_t messages() const;
  // Calls `visit` at least once with every route that an entry takes.
  template <typename Visit>
  void for_each_route(Visit visit) const {
    if (source_ != nullptr) {
      for (const std::int32_t route : source_->routes(slot_, node_)) visit(route);
      return;
    }
    for (const TableEntry& entry : entries_) {
      if (entry.route >= 0) visit(entry.route);
    }
  }

  // The shared source; nullptr if the table stores its own entries.
  const TableSource* source() const { return source_.get(); }
  const TablePattern* pattern() const;
  std::size_t slot() const { return slot_; }
  NodeId node() const { return node_; }
  std::span<const TableEntry> stored() const { return entries_; }

  // The table's own entries, which may be changed; copies them from the source first if necessary.
  std::vector<TableEntry>& entries() {
    if (source_ != nullptr) store();
    return entries_;
  }
  TableEntry& operator[](std::size_t i) { return entries()[i]; }
  TableEntry& front() { return entries().front(); }
  TableEntry& back() { return entries().back(); }
  std::vector<TableEntry>::iterator begin() { return entries().begin(); }
  std::vector<TableEntry>::iterator end() { return entries().end(); }
  void push_back(TableEntry entry) { entries().push_back(std::move(entry)); }
  TableEntry& emplace_back() { return entries().emplace_back(); }
  void reserve(std::size_t count) { entries().reserve(count); }

 private:
  void store();

  std::vector<TableEntry> entries_;
  std::shared_ptr<const TableSource> source_;
  std::size_t source_size_ = 0;
  std::uint32_t slot_ = 0;
  NodeId node_ = topology::kNoNode;
};

class Table::const_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = TableEntry;
  using difference_type = std::ptrdiff_t;
  using pointer = const TableEntry*;
  using reference = const TableEntry&;

  const_iterator(const Table& table, std::size_t at) : table_(&table), at_(at) { read(); }
  reference operator*() const { return table_->source_ == nullptr ? table_->entries_[at_] : entry_; }
  pointer operator->() const { return &**this; }
  const_iterator& operator++() {
    ++at_;
    read();
    return *this;
  }
  const_iterator operator++(int) {
    const_iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const const_iterator& other) const { return at_ == other.at_; }

 private:
  void read() {
    if (table_->source_ != nullptr && at_ < table_->size()) table_->read(at_, entry_);
  }

  const Table* table_;
  std::size_t at_;
  TableEntry entry_;
};

inline Table::const_iterator Table::begin() const {
  return {*this, 0};
}
inline Table::const_iterator Table::end() const {
  return {*this, size()};
}

}  // namespace coppice::schedule
