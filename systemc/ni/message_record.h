#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/units.h"
#include "ni/gradient_memory.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

using schedule::NodeId;
using schedule::TableEntry;

// Why a table entry issued no earlier, and a message's life after that. Cycles; -1 = not yet.
struct MessageRecord {
  const TableEntry* entry = nullptr;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  std::uint32_t context = 0;  // the collective in flight that it is of (table_context.h)
  int src_port = 0;
  int dst_port = 0;
  std::int64_t flits = 0;
  std::int64_t packets = 0;
  Cycles serialization = 0;      // flits at the rate of the slowest channel of its route
  Cycles zero_load_latency = 0;  // from a flit's injection to its ejection
  Cycles credit_stall = 0;       // the most that credits alone can hold it up (fabric/route_timing.h)

  // When the last arrival that it needs came, or when its port issued the message before if it was there by
  // then; 0 if it needs none.
  Cycles dependencies_met = 0;
  Cycles released = 0;         // when the lockstep let its step start
  Cycles issued = -1;          // decoded, DMA requested
  Cycles port_free_since = 0;  // the cycle after its port's message before left; 0 for the first
  Cycles head_injected = -1;
  Cycles tail_injected = -1;
  Cycles tail_ejected = -1;
  Cycles completed = -1;  // reduced or stored

  // The message that met the last dependency: when its tail left its sender, how many cycles the network
  // took beyond its zero-load latency, and how many of those credits alone can explain.
  Cycles enabler_tail_injected = 0;
  Cycles enabler_delay = 0;
  Cycles enabler_credit_delay = 0;

  Payload payload;
};

// Follows messages as they finish; called in simulated-time order of completion.
class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  virtual void message_completed(const MessageRecord& message) = 0;
};

// The records of all messages under way; identities are reused after completion.
class MessageLog {
 public:
  std::uint64_t open() {
    ++open_;
    if (free_.empty()) {
      records_.emplace_back();
      return records_.size() - 1;
    }
    const std::uint64_t id = free_.back();
    free_.pop_back();
    records_[id] = MessageRecord{};
    return id;
  }
  void close(std::uint64_t id) {
    --open_;
    ++completed_;
    if (keep_) {
      kept_.push_back(id);
    } else {
      tell(id);
    }
  }
  // Whether closed messages are kept until flush(), which tells observers of them by the cycle of their
  // completion: for interfaces that run ahead of each other.
  void keep(bool keep) { keep_ = keep; }
  void flush() {
    std::stable_sort(kept_.begin(), kept_.end(), [this](std::uint64_t a, std::uint64_t b) {
      return records_[a].completed < records_[b].completed;
    });
    for (const std::uint64_t id : kept_) tell(id);
    kept_.clear();
  }
  // A copy of the entry of message `id` that stays until it completes.
  const TableEntry& keep(std::uint64_t id, const TableEntry& entry) {
    while (entries_.size() <= id) entries_.emplace_back();
    return entries_[id] = entry;
  }
  MessageRecord& operator[](std::uint64_t id) { return records_[id]; }
  const MessageRecord& operator[](std::uint64_t id) const { return records_[id]; }

  void add_observer(MessageObserver& observer) { observers_.push_back(&observer); }
  std::int64_t open_count() const { return open_; }
  std::int64_t completed_count() const { return completed_; }

 private:
  void tell(std::uint64_t id) {
    for (MessageObserver* observer : observers_) observer->message_completed(records_[id]);
    records_[id].payload = {};
    free_.push_back(id);
  }

  std::vector<MessageRecord> records_;
  bool keep_ = false;
  std::vector<std::uint64_t> kept_;
  std::vector<std::uint64_t> free_;
  std::deque<TableEntry> entries_;  // [id]: of messages whose tables do not keep them
  std::vector<MessageObserver*> observers_;
  std::int64_t open_ = 0;
  std::int64_t completed_ = 0;
};

}  // namespace coppice::ni
