#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::schedule {

// The tables of one accelerator, the origin, with the moves that map them to all other accelerators. The
// memory of a symmetric schedule therefore does not grow with the square of the number of accelerators. Flows
// move with the accelerator that owns their data: flow f is piece f % pieces of the chunk of accelerator f /
// pieces. The piece begins at address f * bytes and has length `bytes`. All messages are sent to neighbours.
class TablePattern final : public SymmetricTables {
 public:
  struct Spec {
    int pieces = 1;
    Bytes bytes = 0;
    // The origin's tables; a slot is one NI port at every accelerator. The `route` of an entry is a way: a
    // number for a channel of the origin and the channel's images under the moves.
    std::vector<std::vector<TableEntry>> slots;
    std::size_t ways = 0;
    std::vector<std::int32_t> routes;  // [node * ways + way]: index into Schedule::routes
  };

  TablePattern(Translations moves, Spec spec);

  // The pattern of a schedule in which every accelerator has each slot of the pattern at exactly one port,
  // and no other tables; nullptr otherwise.
  static const TablePattern* of_all(const Schedule& schedule);

  const Translations& moves() const override { return moves_; }
  int pieces() const { return spec_.pieces; }
  Bytes bytes() const { return spec_.bytes; }
  std::size_t slots() const { return spec_.slots.size(); }
  std::size_t ways() const { return spec_.ways; }
  int flows() const { return static_cast<int>(moves_.nodes()) * spec_.pieces; }

  std::span<const TableEntry> entries(std::size_t slot) const { return spec_.slots[slot]; }
  // The largest address of the images of a message of the origin.
  Bytes last_address(const TableEntry& at_origin) const {
    return (flows() - spec_.pieces + at_origin.flow % spec_.pieces) * spec_.bytes;
  }
  // The ways of a slot's entries, without duplicates.
  std::span<const std::int32_t> ways_of(std::size_t slot) const { return slot_ways_[slot]; }
  std::int32_t route(NodeId node, std::int32_t way) const {
    return spec_.routes[static_cast<std::size_t>(node) * spec_.ways + static_cast<std::size_t>(way)];
  }
  std::int32_t moved_flow(std::int32_t flow, NodeId to) const {
    if (spec_.pieces == 1) return moves_.moved(flow, to);
    return moves_.moved(flow / spec_.pieces, to) * spec_.pieces + flow % spec_.pieces;
  }
  std::int32_t moved_back_flow(std::int32_t flow, NodeId from) const override {
    return moves_.moved_back(flow / spec_.pieces, from) * spec_.pieces + flow % spec_.pieces;
  }
  std::size_t size(std::size_t slot) const override { return spec_.slots[slot].size(); }
  std::int64_t messages(std::size_t slot) const override { return messages_[slot]; }
  void read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const override;
  std::int32_t route_of(std::size_t slot, std::size_t i, NodeId node) const override {
    const std::int32_t way = spec_.slots[slot][i].route;
    return way < 0 ? -1 : route(node, way);
  }
  std::vector<std::int32_t> routes(std::size_t slot, NodeId node) const override;
  const TablePattern* pattern() const override { return this; }

 private:
  Translations moves_;
  Spec spec_;
  std::vector<std::vector<std::int32_t>> slot_ways_;
  std::vector<std::int64_t> messages_;  // [slot]
};

}  // namespace coppice::schedule
