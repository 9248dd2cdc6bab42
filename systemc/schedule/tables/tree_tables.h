#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "schedule/tables/schedule.h"
#include "schedule/tables/table.h"

namespace coppice::schedule {

// The tables of trees over links between neighbours, in which a port sends at most one message per timestep.
// A message takes two bytes of memory, and so does an accelerator's position in a tree. Flow f is tree f. A
// slot is a port of one accelerator: slot node * ports + port. Each port has a single channel, out-port
// `port` of the accelerator.
class TreeTables final : public TableSource {
 public:
  using Flow = std::uint16_t;
  static constexpr Flow kIdle = std::numeric_limits<Flow>::max();  // stands for an entry without a message
  static constexpr int kMostTrees = kIdle;
  static constexpr int kMostPorts = std::numeric_limits<std::uint8_t>::max();

  // An accelerator's position in a tree.
  struct Place {
    static constexpr std::uint8_t kRoot = std::numeric_limits<std::uint8_t>::max();
    std::uint8_t up = kRoot;    // the port that leads to the parent
    std::uint8_t children = 0;  // the number of children whose sums arrive
  };
  struct Spec {
    std::size_t ports = 1;             // ports per accelerator
    std::size_t reduce_steps = 0;      // number of steps that reduce; all later steps gather
    std::vector<Chunk> chunks;         // [tree]: its data
    std::vector<Bytes> longest;        // [step]: length of the longest message
    std::vector<NodeId> neighbours;    // [slot]: the node at the other end; kNoNode: no channel
    std::vector<std::uint8_t> back;    // [slot]: the neighbour's port that leads back
    std::vector<std::int32_t> routes;  // [slot]: index into Schedule::routes; -1: no message
    std::vector<std::size_t> first;    // [slot]: first index in `flows`; also one past the last slot
    std::vector<Flow> flows;           // [first[slot] + step - 1]
    std::vector<Place> places;         // see place()
  };

  explicit TreeTables(Spec spec) : spec_(std::move(spec)) {}

  const Spec& spec() const { return spec_; }
  std::size_t nodes() const { return spec_.neighbours.size() / spec_.ports; }
  std::size_t ports() const { return spec_.ports; }
  std::size_t trees() const { return spec_.chunks.size(); }
  const Chunk& chunk(std::size_t tree) const { return spec_.chunks[tree]; }
  Place place(NodeId node, std::int32_t tree) const {
    return spec_.places[static_cast<std::size_t>(node) * trees() + static_cast<std::size_t>(tree)];
  }
  // The parent of `node` in the tree; kNoNode if `node` is the root.
  NodeId parent(NodeId node, std::int32_t tree) const {
    const Place here = place(node, tree);
    return here.up == Place::kRoot ? topology::kNoNode : spec_.neighbours[slot_of(node, here.up)];
  }

  std::size_t size(std::size_t slot) const override { return spec_.first[slot + 1] - spec_.first[slot]; }
  std::int64_t messages(std::size_t slot) const override;
  void read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const override;
  void read_message(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const override;
  std::int32_t route_of(std::size_t slot, std::size_t i, NodeId /*node*/) const override {
    return spec_.flows[spec_.first[slot] + i] == kIdle ? -1 : spec_.routes[slot];
  }
  std::vector<std::int32_t> routes(std::size_t slot, NodeId node) const override;

 private:
  std::size_t slot_of(NodeId node, std::size_t port) const {
    return static_cast<std::size_t>(node) * spec_.ports + port;
  }
  NodeList sources(NodeId node, Flow tree) const;

  Spec spec_;
};

}  // namespace coppice::schedule
