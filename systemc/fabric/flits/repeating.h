#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/packet.h"
#include "fabric/wires/wire.h"

namespace coppice::fabric {

// The state of a part of a network at the beginning of a cycle. Two states with equal words evolve alike
// until the next event, shifted by the time between them.
struct StateRecord {
  // The progress of message `tag`, in packets or flits: an index into `counters`, and the amount by which the
  // count may still grow before the message's end approaches.
  struct Growth {
    std::size_t counter;
    std::int64_t room;
    std::uint64_t tag;
    bool packets;  // whether the count is of packets, or of the flits of a single-packet message
  };
  // The time until an injection's pace allows its next flit, and the number of flits that the pace has
  // delayed.
  struct Pace {
    Femtoseconds ahead;
    std::int64_t held_up;
  };

  // Everything that determines the future; times are relative to the cycle.
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> counters;  // values that grow by a constant in every period
  std::vector<Growth> growths;
  std::vector<Pace> paces;
  std::vector<PacketId> packets;  // packets of the visited flits, in the order of visits
  Cycles next_event = kNever;     // the first cycle with a clocked event
  bool exact = true;              // whether the complete state could be recorded

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

// Records the state of the objects that it visits. A StateShifter visits the same objects in the same order.
class StateRecorder {
 public:
  // `now` is the cycle that is about to begin.
  StateRecorder(Cycles now, Femtoseconds period, const PacketPool& packets, StateRecord& record)
      : now_(now), period_(period), pool_(&packets), record_(&record) {}

  // A value that determines the future and stays constant.
  template <typename Value>
  void value(const Value& value) {
    record_->words.push_back(static_cast<std::uint64_t>(value));
  }
  // A cycle in which periodic activity continues; all past cycles are equivalent.
  void time(Cycles& at) { value(at == kNever ? -1 : std::max<Cycles>(at - now_, 0)); }
  // A time; all times more than `oldest` before the cycle are equivalent.
  void instant(Femtoseconds& at, Femtoseconds oldest) { value(std::max(at - now_ * period_, -oldest)); }
  // A cycle in which a clocked event happens, independent of any period.
  void timer(Cycles at) {
    value(at);
    record_->next_event = std::min(record_->next_event, at);
  }
  void counter(std::int64_t& counter) { record_->counters.push_back(counter); }
  // The number of flits (or packets, if `packets`) of message `tag` handed over so far, which grows by a
  // constant per period, up to `limit`.
  template <typename Count>
  void growth(std::uint64_t tag, Count& count, std::int64_t limit, bool packets) {
    const auto value = static_cast<std::int64_t>(count);
    record_->growths.push_back({record_->counters.size(), limit - value, tag, packets});
    record_->counters.push_back(value);
  }
  // The pace of a message that began in cycle `start` and whose next flit must not leave earlier than `due`
  // after its start.
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

// Advances the state of the objects that it visits by whole periods: times by `shift`, counters by their
// growth per period times the number of periods.
class StateShifter {
 public:
  // `before` and `after` are one period apart; the current state is `after`.
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
// ejector. If any module is not Repeating, the network never leaps.
class Repeating {
 public:
  virtual ~Repeating() = default;
  virtual void visit(StateRecorder& recorder) = 0;
  virtual void visit(StateShifter& shifter) = 0;
};

}  // namespace coppice::fabric
