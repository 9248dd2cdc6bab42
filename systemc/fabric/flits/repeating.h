#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/packet.h"
#include "fabric/wires/wire.h"

namespace coppice::fabric {

// The recorded state of a part of a network at the beginning of a cycle. From two states with equal `words`,
// the part behaves identically until the next event, except that all times are shifted.
struct StateRecord {
  // The progress of message `tag`: the index in `counters` of the number of packets or flits handed over, and
  // the amount by which this number may still grow before the end of the message affects the network.
  struct Growth {
    std::size_t counter;
    std::int64_t room;
    std::uint64_t tag;
    bool packets;  // whether packets are counted; otherwise, flits of a single-packet message
  };
  // The time until the pace of a message allows its next flit to be injected, and the number of flits that
  // the pace has delayed.
  struct Pace {
    Femtoseconds ahead;
    std::int64_t held_up;
  };

  // All state that determines the future behaviour; times are relative to the recorded cycle.
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> counters;  // values that grow by a constant in every period
  std::vector<Growth> growths;
  std::vector<Pace> paces;
  std::vector<PacketId> packets;  // packets of the visited flits, in the order in which they were visited
  Cycles next_event = kNever;     // the first cycle in which a clocked event occurs
  bool exact = true;              // whether the recorded state is complete

  void clear() {
    words.clear();
    counters.clear();
    growths.clear();
    paces.clear();
    packets.clear();
    next_event = kNever;
    exact = true;
  }
};

// Records the state of the objects that it visits. A StateShifter must visit the same objects in the same
// order.
class StateRecorder {
 public:
  // `now` is the cycle that is about to begin.
  StateRecorder(Cycles now, Femtoseconds period, const PacketPool& packets, StateRecord& record)
      : now_(now), period_(period), pool_(&packets), record_(&record) {}

  // Records a value that must be the same after each period.
  template <typename Value>
  void value(const Value& value) {
    record_->words.push_back(static_cast<std::uint64_t>(value));
  }
  // Records a cycle in which periodic activity continues. All cycles in the past are treated as equal.
  void time(Cycles& at) { value(at == kNever ? -1 : std::max<Cycles>(at - now_, 0)); }
  // Records a time. All times more than `oldest` before the current cycle are treated as equal.
  void instant(Femtoseconds& at, Femtoseconds oldest) { value(std::max(at - now_ * period_, -oldest)); }
  // Records the cycle of a clocked event, which happens in that cycle regardless of any period.
  void timer(Cycles at) {
    value(at);
    record_->next_event = std::min(record_->next_event, at);
  }
  void counter(std::int64_t& counter) { record_->counters.push_back(counter); }
  // Records how much of message `tag` has been handed over so far, in packets if `packets` is set, otherwise
  // in flits. The number grows by a constant amount in each period and never exceeds `limit`.
  template <typename Count>
  void growth(std::uint64_t tag, Count& count, std::int64_t limit, bool packets) {
    const auto value = static_cast<std::int64_t>(count);
    record_->growths.push_back({record_->counters.size(), limit - value, tag, packets});
    record_->counters.push_back(value);
  }
  // Records the pace of a message that began in cycle `start` and whose next flit may leave no earlier than
  // `due` after that cycle.
  void pace(Cycles start, Femtoseconds due, std::int64_t held_up) {
    record_->paces.push_back({(start - now_) * period_ + due, held_up});
  }
  void flit(Flit& flit) {
    packet(flit.packet, (flit.is_head() ? 1U : 0U) | (flit.tail << 1U));
    record_->counters.push_back(flit.sequence);
  }
  void packet(PacketId id, std::uint64_t flags = 0) {
    const Packet& packet = (*pool_)[id];
    if (packet.route == nullptr) record_->exact = false;
    value(packet.tag << 4U | (packet.first_of_message ? 8U : 0U) | (packet.last_of_message ? 4U : 0U) |
          flags);
    record_->packets.push_back(id);
  }
  void refuse() { record_->exact = false; }

 private:
  Cycles now_;
  Femtoseconds period_;
  const PacketPool* pool_;
  StateRecord* record_;
};

// Advances the state of the objects that it visits by whole periods. It adds `shift` to every time, and
// increases every counter by its growth per period times the number of periods.
class StateShifter {
 public:
  // `before` and `after` are states that are one period apart; `after` is the current state.
  StateShifter(Cycles shift, Femtoseconds period, std::int64_t periods, const StateRecord& before,
               const StateRecord& after)
      : shift_(shift), period_(period), periods_(periods), before_(&before), after_(&after) {}

  template <typename Value>
  void value(const Value&) {}
  void time(Cycles& at) {
    if (at != kNever) at += shift_;
  }
  void instant(Femtoseconds& at, Femtoseconds) { at += shift_ * period_; }
  void timer(Cycles) {}
  void counter(std::int64_t& counter) { counter += growth_of_next(); }
  template <typename Count>
  void growth(std::uint64_t, Count& count, std::int64_t, bool) {
    count = static_cast<Count>(static_cast<std::int64_t>(count) + growth_of_next());
  }
  void pace(Cycles, Femtoseconds, std::int64_t) {}
  void flit(Flit& flit) {
    flit.sequence = static_cast<std::uint32_t>(flit.sequence + growth_of_next()) & 0x7fffffffU;
  }
  void packet(PacketId, std::uint64_t = 0) {}
  void refuse() {}

  Cycles shift() const { return shift_; }

 private:
  std::int64_t growth_of_next() {
    const std::size_t i = next_++;
    return periods_ * (after_->counters[i] - before_->counters[i]);
  }

  Cycles shift_;
  Femtoseconds period_;
  std::int64_t periods_;
  const StateRecord* before_;
  const StateRecord* after_;
  std::size_t next_ = 0;
};

// An object whose state can be recorded and advanced by whole periods: a module of a node, an injector or an
// ejector. If a module is not Repeating, the network never leaps.
class Repeating {
 public:
  virtual ~Repeating() = default;
  virtual void visit(StateRecorder& recorder) = 0;
  virtual void visit(StateShifter& shifter) = 0;
};

}  // namespace coppice::fabric
