#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/proof/replay.h"

namespace coppice::schedule {

// Proves that a group of flows whose data may overlap behaves the same under every timing.
//
// The replay shows one possible order. It suggests a precedence in which an entry comes after the arrivals
// that it counted. Suppose that, in this precedence, every other arrival of the entry's flow at that node
// follows from the entry's own message. No execution can then satisfy the entry's count with other arrivals,
// because the first such arrival would require that the entry had already issued. The precedence therefore
// holds in all executions. If it also orders any two accesses to the same data of which one is a store, or
// one is a send and one an arrival, all executions compute the same values as the replay. Numbered arrivals
// identify themselves, so only the accesses have to be ordered. A lockstep also orders by timestep, provided
// that no entry waits for arrivals of its own step or a later one.
class Causality {
 public:
  explicit Causality(const Schedule& schedule);

  // Throws ScheduleError unless the group has the same result under every timing and its entries name the
  // correct parents and children. `messages` are the group's messages, in the order of the replay.
  void prove(std::span<const std::int32_t> flows, std::span<const Message* const> messages);

 private:
  // The arrivals of one flow at one accelerator. The first `merged` arrivals have been merged into a cause
  // set (inbox_causes_).
  struct Inbox {
    std::vector<std::int32_t> arrivals;  // message indices in order of arrival
    std::int32_t merged = 0;             // number of arrivals merged into the cause set
    std::int32_t last_store = -1;        // index of the last gather among the merged arrivals
  };

  void begin(std::span<const std::int32_t> flows, std::span<const Message* const> messages);
  void prove_part();
  void reset();
  void deliver(std::size_t index);
  void add(std::int32_t index);
  void merge(std::size_t inbox, std::int32_t count);
  bool concerns(std::int32_t arrival, const Message& sending) const;
  void check_lockstep(const Message& message, const Inbox& inbox) const;
  void check_family(const Message& message, const Inbox& inbox) const;
  void check_node(NodeId node) const;
  void check_entry(std::int32_t entry, NodeId node) const;
  void check_stores(std::size_t inbox, NodeId node) const;

  const Message& message(std::int32_t index) const { return *messages_[static_cast<std::size_t>(index)]; }
  std::size_t inbox_of(NodeId node, std::int32_t flow) const {
    return static_cast<std::size_t>(node) * flows_in_group_ +
           static_cast<std::size_t>(place_in_group_[static_cast<std::size_t>(flow)]);
  }
  // Whether this part of the proof tracks the effects of message `index`.
  bool is_cause(std::int32_t index) const { return index >= first_cause_ && index < end_cause_; }
  // Whether message `earlier` has arrived before `later` is sent; true if `earlier` belongs to another part.
  bool caused(std::int32_t earlier, std::int32_t later) const;
  bool later_by_lockstep(std::int32_t earlier, std::int32_t later) const;
  std::uint64_t* causes_of(std::int32_t index) { return &causes_[static_cast<std::size_t>(index) * words_]; }

  const Schedule& schedule_;
  std::size_t accelerators_;
  std::size_t flows_in_group_ = 0;
  std::vector<std::int32_t> place_in_group_;  // [flow]: its index in the group
  std::span<const Message* const> messages_;
  std::size_t words_ = 0;  // number of words with one bit per message of a part
  std::int32_t first_cause_ = 0;
  std::int32_t end_cause_ = 0;
  std::vector<std::uint64_t>
      causes_;  // [message * words]: messages of the part that arrived before it was sent
  std::vector<std::uint64_t> inbox_causes_;      // the inbox's merged arrivals and their causes
  std::vector<Inbox> inboxes_;                   // see inbox_of()
  std::vector<std::vector<std::int32_t>> sent_;  // [node]: messages that the node sent
};

}  // namespace coppice::schedule
