#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/wires/arrival_calendar.h"
#include "fabric/wires/bursts.h"
#include "fabric/wires/wire_runs.h"

namespace coppice::fabric {

inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

// An unbounded FIFO queue whose storage grows as needed and never shrinks.
template <typename Entry>
class Ring {
 public:
  bool empty() const { return begin_ == end_; }
  std::uint32_t size() const { return end_ - begin_; }
  Entry& front() { return entries_[begin_ & mask_]; }
  const Entry& front() const { return entries_[begin_ & mask_]; }
  Entry& back() { return entries_[(end_ - 1) & mask_]; }
  // Adds an entry, which the caller fills in place.
  Entry& add() {
    if (size() > mask_) [[unlikely]] {
      grow();
    }
    return entries_[end_++ & mask_];
  }
  void pop() { ++begin_; }
  void push_front(const Entry& entry) {
    if (size() > mask_) grow();
    entries_[--begin_ & mask_] = entry;
  }
  Entry& operator[](std::uint32_t i) { return entries_[(begin_ + i) & mask_]; }
  const Entry& operator[](std::uint32_t i) const { return entries_[(begin_ + i) & mask_]; }

 private:
  static constexpr std::uint32_t kSmallest = 4;

  [[gnu::noinline]] void grow() {
    const std::uint32_t mask = 2 * mask_ + 1;
    auto larger = std::make_unique<Entry[]>(std::size_t{mask} + 1);
    for (std::uint32_t i = begin_; i != end_; ++i) larger[i & mask] = entries_[i & mask_];
    entries_ = std::move(larger);
    mask_ = mask;
  }

  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(kSmallest);
  std::uint32_t mask_ = kSmallest - 1;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

// The traffic between two modules: flits in one direction and credits in the other. Items are stored in
// sending order, with their arrival cycles. Both ends access the wire directly, so that a flit causes no
// kernel event. The calendar of the node at each end records when something arrives.
//
// A wire is "apart" if its ends belong to different threads. Items sent over it wait at the sender's side
// until hand_over(), which is called between quanta. This is early enough, because items sent within a
// quantum arrive after it.
class Wire {
 public:
  // The latencies of flits and credits are in cycles. If `vcs` is not 0, the wire is short, has this number
  // of virtual channels and never carries runs. Items in flight may then wait only in the receiver's
  // calendar, which has a separate line for the credits of each virtual channel.
  Wire(Cycles flit_latency, Cycles credit_latency, int vcs = 0)
      : flits_{.latency = flit_latency}, credits_{.latency = credit_latency}, vcs_(vcs) {}

  // Functions for the sender of flits. The flit enters the wire in cycle `leaves`, which must not precede
  // that of the previous flit.
  void send(Flit flit, int vc, Cycles leaves) {
    const Stamp stamp(leaves + flits_.latency, vc);
    ++flits_.sent;
    if (flits_.end.calendar == nullptr) [[unlikely]] {
      send_apart(flit, stamp);
      return;
    }
    put(flit, stamp, flits_.end);
  }
  // Whether a credit that is not stored in the calendar has arrived.
  bool has_credit(Cycles now) const { return !credits_.ring.empty() && credits_.ring.front().at() <= now; }
  // Removes the first credit and returns its virtual channel.
  int pop_credit() {
    if (credits_.latency < kJoined) {
      const int vc = credits_.ring.front().single().vc();
      credits_.ring.pop();
      return vc;
    }
    bool last = false;
    const int vc = credits_.ring.front().take(last).vc();
    if (last) credits_.ring.pop();
    return vc;
  }

  // Functions for the receiver of flits that are not stored in its calendar.
  bool has_flit(Cycles now) const { return !flits_.ring.empty() && flits_.ring.front().at() <= now; }
  TimedFlit pop_flit() {
    if (flits_.latency < kJoined) {
      const TimedFlit flit = flits_.ring.front().single();
      flits_.ring.pop();
      return flit;
    }
    bool last = false;
    const TimedFlit flit = flits_.ring.front().take(last);
    if (last) flits_.ring.pop();
    return flit;
  }
  // Frees a buffer slot of virtual channel `vc`. The credit leaves in cycle `leaves`.
  void return_credit(int vc, Cycles leaves) {
    const Stamp stamp(leaves + credits_.latency, vc);
    if (credits_.end.calendar == nullptr) [[unlikely]] {
      return_apart(stamp);
      return;
    }
    put(stamp, credits_.end);
  }

  // Functions for stretches (NodeStretch). Both ends send runs, which leave from cycle run.begin on, and
  // receive the parts of runs that arrive before `end` (see pop_runs()). spread() converts runs that arrive
  // before `end` into individual flits and credits.
  void send_run(FlitRun run) {
    run.begin += flits_.latency;
    flits_.sent += run.cycles.count();
    if (apart_ != nullptr) {
      apart_->flit_runs.push_back(run);
      return;
    }
    put(run);
  }
  void return_run(CreditRun run) {
    run.begin += credits_.latency;
    if (apart_ != nullptr) {
      apart_->credit_runs.push_back(run);
      return;
    }
    put(run);
  }
  template <typename F>
  void pop_flit_runs(Cycles now, Cycles end, F&& f) {
    if (!flit_runs_.empty() && pop_runs(flit_runs_, now, end, f))
      receiver().expect(first_arrival(flit_runs_));
  }
  template <typename F>
  void pop_credit_runs(Cycles now, Cycles end, F&& f) {
    if (!credit_runs_.empty() && pop_runs(credit_runs_, now, end, f))
      sender().expect(first_arrival(credit_runs_));
  }
  void spread_flits(Cycles end) {
    if (!flit_runs_.empty()) spread_flit_runs(end);
  }
  void spread_credits(Cycles end) {
    if (!credit_runs_.empty()) spread_credit_runs(end);
  }
  const std::vector<FlitRun>& flit_runs() const { return flit_runs_; }
  const std::vector<CreditRun>& credit_runs() const { return credit_runs_; }
  // Calls f(flit, stamp) for the single flits that arrive before `end`, in order of arrival, until f returns
  // false.
  template <typename F>
  void for_each_flit(Cycles end, F&& f) const {
    if (receiver().line.waits() && !for_each_waiting_flit(end, f)) return;
    for (std::uint32_t burst = 0; burst < flits_.ring.size(); ++burst) {
      const FlitBurst& flits = flits_.ring[burst];
      for (int i = 0; i < flits.flits(); ++i) {
        const TimedFlit flit = flits[i];
        if (flit.stamp.at() >= end || !f(flit.flit, flit.stamp)) return;
      }
    }
  }
  // Calls f(stamp) for the single credits that arrive before `end`, in order of arrival.
  template <typename F>
  void for_each_credit(Cycles end, F&& f) const {
    if (sender().line.waits()) for_each_waiting_credit(end, f);
    for (std::uint32_t burst = 0; burst < credits_.ring.size(); ++burst) {
      const CreditBurst& credits = credits_.ring[burst];
      for (int i = 0; i < credits.credits(); ++i) {
        if (credits[i].at() >= end) return;
        f(credits[i]);
      }
    }
  }
  // Copies the flits that wait in the calendar and arrive before `end` into the wire's own queue, because the
  // calendar is about to skip these cycles.
  void fetch_flits(Cycles end) {
    if (!receiver().line.waits()) return;
    for_each_waiting_flit(end, [this](Flit flit, Stamp stamp) {
      flits_.ring.add() = FlitBurst(flit, stamp);
      return true;
    });
  }
  // Drops the credits that arrive before `end`, because the calendar has skipped these cycles.
  void drop_credits(Cycles end) {
    while (has_credit(end - 1)) pop_credit();
  }
  // Counts flits that both leave and arrive within a stretch, and thus never enter the wire.
  void count_flits(int flits) { flits_.sent += flits; }

  // Declares that the ends of the wire belong to different threads.
  void set_apart() {
    apart_ = std::make_unique<Apart>();
    apart_->receiver = std::exchange(flits_.end, {});
    apart_->sender = std::exchange(credits_.end, {});
  }
  // Puts all items sent since the last call onto the wire. Call this while no thread uses the wire.
  void hand_over() {
    for (const TimedFlit& flit : apart_->flits) put(flit.flit, flit.stamp, apart_->receiver);
    for (const Stamp& credit : apart_->credits) put(credit, apart_->sender);
    for (const FlitRun& run : apart_->flit_runs) put(run);
    for (const CreditRun& run : apart_->credit_runs) put(run);
    apart_->flits.clear();
    apart_->credits.clear();
    apart_->flit_runs.clear();
    apart_->credit_runs.clear();
  }

  // Sets the listener for arriving flits: the receiver's calendar, the wire's line in it, and the next cycle
  // of the receiver's node. Flits wait in the calendar's `column` unless it is -1.
  //
  // If credits are reported by virtual channel, the credits of virtual channel i have line `line` + i and
  // wait in the calendar.
  void attach_receiver(ArrivalCalendar& calendar, int line, Cycles& due, int column = -1) {
    calendar.set_due(due);
    receiver() = {&calendar, ArrivalCalendar::Place(line, column)};
  }
  void attach_sender(ArrivalCalendar& calendar, int line, Cycles& due, bool by_vc = false) {
    calendar.set_due(due);
    sender() = {&calendar, ArrivalCalendar::Place(line, by_vc ? 0 : -1)};
  }
  // The number of virtual channels if items in flight may wait in calendars, otherwise 0.
  int vcs() const { return vcs_; }
  bool has_receiver() { return receiver().calendar != nullptr; }
  bool has_sender() { return sender().calendar != nullptr; }

  bool idle() const {
    bool any = !flit_runs_.empty() || !credit_runs_.empty();
    for_each_flit(kNever, [&](Flit, Stamp) { return !(any = true); });
    for_each_credit(kNever, [&](Stamp) { any = true; });
    return !any;
  }
  Cycles flit_latency() const { return flits_.latency; }
  Cycles credit_latency() const { return credits_.latency; }
  std::int64_t flits_sent() const { return flits_.sent; }

  // Visits all items in flight, for leaps (repeating.h).
  template <typename Visitor>
  void visit(Visitor& visitor) {
    spread_flits(kNever);
    spread_credits(kNever);
    if (receiver().line.waits()) visit_waiting_flits(visitor);
    for (std::uint32_t i = 0; i < flits_.ring.size(); ++i) visit_burst(visitor, flits_.ring[i]);
    visitor.value(-1);
    if (sender().line.waits()) visit_waiting_credits(visitor);
    for (std::uint32_t i = 0; i < credits_.ring.size(); ++i) visit_burst(visitor, credits_.ring[i]);
    visitor.value(-1);
    visitor.counter(flits_.sent);
  }

 private:
  // The minimum latency of wires that combine items in bursts. With a shorter latency, too few items are in
  // flight for bursts to save memory.
  static constexpr Cycles kJoined = 16;

  struct End {
    ArrivalCalendar* calendar = nullptr;
    ArrivalCalendar::Place line{0};

    void expect(Cycles at) const { calendar->announce(at, line); }
    // Announces an arrival on a line that serves a single virtual channel. Returns false if an arrival was
    // already expected in that cycle.
    bool expect_alone(Stamp stamp) const {
      return calendar->announce_alone(stamp.at(), ArrivalCalendar::Place(line, stamp.vc()));
    }
  };
  // One direction of a wire and the listener to notify, in one cache line.
  template <typename Entry>
  struct alignas(64) Way {
    Ring<Entry> ring{};
    Cycles latency = 0;
    End end{};              // not set while the wire is apart
    std::int64_t sent = 0;  // number of flits sent, including those leapt over; not used for credits
  };
  // Items that wait for hand_over(). Each list is used by one thread and has its own cache line.
  struct Apart {
    alignas(64) std::vector<TimedFlit> flits;
    std::vector<FlitRun> flit_runs;
    alignas(64) std::vector<Stamp> credits;
    std::vector<CreditRun> credit_runs;
    End receiver;
    End sender;
  };
  [[gnu::always_inline]] void put(Flit flit, Stamp stamp, const End& end) {
    if (end.line.waits()) {
      last_flit_ = stamp.at();
      if (!end.calendar->deliver(stamp.at(), end.line, ArrivingFlits::word_of(flit), stamp.vc()))
          [[unlikely]] {
        refuse(flit, stamp);
      }
      return;
    }
    put(flit, stamp);
    end.expect(stamp.at());
  }
  void put(Flit flit, Stamp stamp) {
    if (flits_.latency < kJoined || flit.is_head() || flits_.ring.empty() ||
        !flits_.ring.back().append(flit, stamp))
      flits_.ring.add() = FlitBurst(flit, stamp);
  }
  void put(Stamp credit, const End& end) {
    if (end.line.waits()) {
      last_credit_ = credit.at();
      if (!end.expect_alone(credit)) [[unlikely]] {
        refuse(credit);
      }
      return;
    }
    put(credit);
    end.expect(credit.at());
  }
  void put(Stamp credit) {
    if (credits_.latency < kJoined || credits_.ring.empty() || !credits_.ring.back().append(credit))
      credits_.ring.add() = CreditBurst(credit);
  }
  [[gnu::noinline]] void send_apart(Flit flit, Stamp stamp) { apart_->flits.push_back({flit, stamp}); }
  [[gnu::noinline]] void return_apart(Stamp stamp) { apart_->credits.push_back(stamp); }
  [[noreturn]] static void refuse(Flit flit, Stamp stamp);
  [[noreturn]] static void refuse(Stamp credit);
  End& receiver() { return apart_ == nullptr ? flits_.end : apart_->receiver; }
  End& sender() { return apart_ == nullptr ? credits_.end : apart_->sender; }
  const End& receiver() const { return apart_ == nullptr ? flits_.end : apart_->receiver; }
  const End& sender() const { return apart_ == nullptr ? credits_.end : apart_->sender; }

  void put(const FlitRun& run) {
    flit_runs_.push_back(run);
    receiver().expect(run.begin + run.cycles.front());
  }
  void put(const CreditRun& run) {
    credit_runs_.push_back(run);
    sender().expect(run.begin + run.cycles.front());
  }
  // Visits items individually, because their grouping in bursts is not part of the state.
  template <typename Visitor>
  static void visit_burst(Visitor& visitor, FlitBurst& burst) {
    TimedFlit first = burst[0];
    for (int i = 0; i < burst.flits(); ++i) {
      TimedFlit flit = burst[i];
      visitor.flit(flit.flit);
      visit_stamp(visitor, flit.stamp);
      if (i == 0) first = flit;
    }
    burst.move(first.flit, first.stamp);
  }
  template <typename Visitor>
  static void visit_burst(Visitor& visitor, CreditBurst& burst) {
    Stamp first = burst[0];
    for (int i = 0; i < burst.credits(); ++i) {
      Stamp credit = burst[i];
      visit_stamp(visitor, credit);
      if (i == 0) first = credit;
    }
    burst.move(first);
  }
  template <typename Visitor>
  static void visit_stamp(Visitor& visitor, Stamp& stamp) {
    Cycles at = stamp.at();
    visitor.time(at);
    visitor.value(stamp.vc());
    stamp = {at, stamp.vc()};
  }
  // Calls f(flit, stamp) for flits that wait in the calendar. Stops and returns false when f returns false.
  template <typename F>
  bool for_each_waiting_flit(Cycles end, F&& f) const {
    const End& listener = receiver();
    end = std::min(end, last_flit_ + 1);
    for (Cycles at = listener.calendar->first_known(last_flit_); at < end; ++at) {
      if ((listener.calendar->lines(at, listener.line) & listener.line.bit) == 0) continue;
      const ArrivingFlits::Arrival& arrival = listener.calendar->flit(at, listener.line.column);
      if (!f(ArrivingFlits::flit_of(arrival), Stamp(at, static_cast<int>(arrival.vc)))) return false;
    }
    return true;
  }
  template <typename Visitor>
  void visit_waiting_flits(Visitor& visitor) {
    Cycles last = last_flit_;
    for_each_waiting_flit(kNever, [&](Flit flit, Stamp stamp) {
      ArrivingFlits::Arrival& arrival = receiver().calendar->flit(stamp.at(), receiver().line.column);
      visitor.flit(flit);
      visit_stamp(visitor, stamp);
      arrival.flit = ArrivingFlits::word_of(flit);
      last = stamp.at();
      return true;
    });
    last_flit_ = last;
  }
  // Calls f(stamp) for credits that wait in the calendar.
  template <typename F>
  void for_each_waiting_credit(Cycles end, F&& f) const {
    const End& listener = sender();
    end = std::min(end, last_credit_ + 1);
    for (Cycles at = listener.calendar->first_known(last_credit_); at < end; ++at) {
      const std::uint64_t lines =
          listener.calendar->lines(at, listener.line) >> std::countr_zero(listener.line.bit);
      for (int vc = 0; vc < vcs_; ++vc) {
        if ((lines >> vc & 1U) != 0) f(Stamp(at, vc));
      }
    }
  }
  // Visits the credits that wait in the calendar. Their times are shifted by the node.
  template <typename Visitor>
  void visit_waiting_credits(Visitor& visitor) {
    Cycles last = last_credit_;
    for_each_waiting_credit(kNever, [&](Stamp credit) {
      visit_stamp(visitor, credit);
      last = credit.at();
    });
    last_credit_ = last;
  }
  void spread_flit_runs(Cycles end);
  void spread_credit_runs(Cycles end);

  Way<FlitBurst> flits_;
  Way<CreditBurst> credits_;
  std::vector<FlitRun> flit_runs_;
  std::vector<CreditRun> credit_runs_;
  std::unique_ptr<Apart> apart_;
  // The arrival cycles of the last flit and the last credit that wait in a calendar.
  Cycles last_flit_ = -1;
  Cycles last_credit_ = -1;
  int vcs_;
};

}  // namespace coppice::fabric
