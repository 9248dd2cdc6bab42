#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/flits/arrival_calendar.h"

namespace coppice::fabric {

inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

// First in, first out, without a bound: room grows as it is needed and stays.
template <typename Entry>
class Ring {
 public:
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }
  const Entry& front() const { return entries_[begin_ & mask_]; }
  void push(const Entry& entry) {
    if (size() > mask_) grow();
    entries_[end_++ & mask_] = entry;
  }
  void pop() { ++begin_; }
  // Counted from the front.
  Entry& operator[](std::size_t i) { return entries_[(begin_ + i) & mask_]; }

 private:
  static constexpr std::size_t kSmallest = 8;

  [[gnu::noinline]] void grow() {
    std::vector<Entry> larger(2 * entries_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = entries_[(begin_ + i) & mask_];
    entries_.swap(larger);
    mask_ = entries_.size() - 1;
    begin_ = 0;
    end_ = count;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(kSmallest);
  std::size_t mask_ = kSmallest - 1;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// What is under way between two modules: flits one way, credits the other, each in the order in which they
// were sent, with the cycle in which they arrive. Both ends look at it directly, so that a flit costs no
// event of the kernel; the calendar of the node behind an end says when there is something to take.
//
// A wire between nodes that run in different threads is apart: what is sent waits at its sender's side until
// hand_over(), between quanta, in which nothing that is sent arrives.
class Wire {
 public:
  // A cycle and a virtual channel in one word.
  class Stamp {
   public:
    Stamp() = default;
    Stamp(Cycles at, int vc)
        : word_(static_cast<std::uint64_t>(at) << kVcBits | static_cast<std::uint64_t>(vc)) {}
    Cycles at() const { return static_cast<Cycles>(word_ >> kVcBits); }
    int vc() const { return static_cast<int>(word_ & ((1U << kVcBits) - 1)); }

   private:
    static constexpr unsigned kVcBits = 8;
    std::uint64_t word_ = 0;
  };
  struct TimedFlit {
    Flit flit;
    Stamp stamp;
  };

  // Latencies in cycles, of a flit and of a credit.
  Wire(Cycles flit_latency, Cycles credit_latency)
      : flit_latency_(flit_latency), credit_latency_(credit_latency) {}

  // The sender's end. A flit goes onto the wire in cycle `leaves`, not before the flit sent last.
  void send(Flit flit, int vc, Cycles leaves) {
    const Cycles at = leaves + flit_latency_;
    ++flits_sent_;
    if (apart_ != nullptr) [[unlikely]] {
      send_apart(flit, {at, vc});
      return;
    }
    flits_.push({flit, {at, vc}});
    receiver_.expect(at);
  }
  bool has_credit(Cycles now) const { return !credits_.empty() && credits_.front().at() <= now; }
  // Takes the first credit; returns its virtual channel.
  int take_credit() {
    const int vc = credits_.front().vc();
    credits_.pop();
    return vc;
  }

  // The receiver's end.
  bool has_flit(Cycles now) const { return !flits_.empty() && flits_.front().stamp.at() <= now; }
  TimedFlit take_flit() {
    const TimedFlit flit = flits_.front();
    flits_.pop();
    return flit;
  }
  // A place of virtual channel `vc` is free; the sender is told from cycle `leaves` on.
  void return_credit(int vc, Cycles leaves) {
    const Cycles at = leaves + credit_latency_;
    if (apart_ != nullptr) [[unlikely]] {
      return_apart({at, vc});
      return;
    }
    credits_.push({at, vc});
    sender_.expect(at);
  }

  // Its ends are in different threads.
  void set_apart() { apart_ = std::make_unique<Apart>(); }
  // Puts what has been sent onto the wire, while no thread uses it.
  void hand_over() {
    for (const TimedFlit& flit : apart_->flits) {
      flits_.push(flit);
      receiver_.expect(flit.stamp.at());
    }
    for (const Stamp& credit : apart_->credits) {
      credits_.push(credit);
      sender_.expect(credit.at());
    }
    apart_->flits.clear();
    apart_->credits.clear();
  }

  // Who is to be told of arrivals: its calendar, what it calls this wire there, and the next cycle of its
  // node.
  void attach_receiver(ArrivalCalendar& calendar, int line, Cycles& due) {
    receiver_ = {&calendar, &due, ArrivalCalendar::Place(line)};
  }
  void attach_sender(ArrivalCalendar& calendar, int line, Cycles& due) {
    sender_ = {&calendar, &due, ArrivalCalendar::Place(line)};
  }
  bool has_receiver() const { return receiver_.calendar != nullptr; }
  bool has_sender() const { return sender_.calendar != nullptr; }

  bool idle() const { return flits_.empty() && credits_.empty(); }
  Cycles flit_latency() const { return flit_latency_; }
  Cycles credit_latency() const { return credit_latency_; }
  std::int64_t flits_sent() const { return flits_sent_; }

  // For leaps (repeating.h): all that is under way.
  template <typename Visitor>
  void visit(Visitor& visitor) {
    const auto visit_stamp = [&visitor](Stamp& stamp) {
      Cycles at = stamp.at();
      visitor.time(at);
      visitor.value(stamp.vc());
      stamp = {at, stamp.vc()};
    };
    visitor.value(flits_.size() << 32U | credits_.size());
    for (std::size_t i = 0; i < flits_.size(); ++i) {
      visitor.flit(flits_[i].flit);
      visit_stamp(flits_[i].stamp);
    }
    for (std::size_t i = 0; i < credits_.size(); ++i) visit_stamp(credits_[i]);
    visitor.counter(flits_sent_);
  }

 private:
  // Each of the two is a thread's own, and on a cache line of its own.
  struct Apart {
    alignas(64) std::vector<TimedFlit> flits;
    alignas(64) std::vector<Stamp> credits;
  };
  [[gnu::noinline]] void send_apart(Flit flit, Stamp stamp) { apart_->flits.push_back({flit, stamp}); }
  [[gnu::noinline]] void return_apart(Stamp stamp) { apart_->credits.push_back(stamp); }

  struct End {
    ArrivalCalendar* calendar = nullptr;
    Cycles* due = nullptr;
    ArrivalCalendar::Place line{0};

    void expect(Cycles at) const {
      calendar->add(at, line);
      if (at < *due) *due = at;
    }
  };

  Ring<TimedFlit> flits_;
  Ring<Stamp> credits_;
  End receiver_;
  End sender_;
  Cycles flit_latency_;
  Cycles credit_latency_;
  std::int64_t flits_sent_ = 0;
  std::unique_ptr<Apart> apart_;
};

}  // namespace coppice::fabric
