#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"

namespace coppice::ni {

// Simulates the order in which the reduction unit adds or stores the flits that arrive at its ports. This
// order determines how sums are rounded. It is the same as in rtl/ni/reduction_unit.v. A flit proceeds in its
// arrival cycle unless some of its words are part of a sum in progress or of a flit that is waiting or
// arriving at a lower-numbered port. In these cases, it waits in the queue of its port. A sum is written
// `latency` cycles after its flit proceeded. The oldest flit of a queue proceeds as soon as it can. In a
// cycle in which it cannot, an arriving flit that is to be added overtakes the waiting flits, unless one of
// them is to be stored.
//
// Data that is read ahead is sent before its sums are written, so a response can arrive while these sums
// still wait. If the response stored a final value first, the sums would then be added to it again.
// Therefore, a flit must not overtake a flit that was read ahead if the two have common words and one of them
// is to be stored. In Verilog, reads wait for their sums instead.
class ReductionQueues {
 public:
  struct Flit {
    bool add = false;  // whether the flit is added; otherwise, it is stored
    std::size_t word = 0;
    std::span<const float> data;
  };

  ReductionQueues(int ports, Cycles latency) : latency_(latency), queues_(static_cast<std::size_t>(ports)) {}

  // Accepts a flit that arrives in cycle `now` and copies its data. At most one flit per port per cycle may
  // arrive. Earlier cycles are first simulated on `memory`.
  void take(int port, const Flit& flit, Cycles now, std::span<float> memory);
  // Simulates all cycles before `now`.
  void advance(Cycles now, std::span<float> memory);
  // Simulates cycles until no waiting flit covers a word in [first, last).
  void settle(std::size_t first, std::size_t last, std::span<float> memory);
  // Simulates ahead until no flit that has arrived so far waits for any of the words [first, last), and calls
  // `read` while the memory holds the resulting values. They are the result of reading the words one at a
  // time, each after its sums. Time and memory are restored afterwards.
  void read_ahead(std::size_t first, std::size_t last, std::span<float> memory,
                  const std::function<void()>& read);
  bool empty() const { return waiting_ == 0; }

 private:
  struct PendingSum {
    Cycles written;  // the word may be read from the next cycle on
    std::size_t first;
    std::size_t last;
  };

  // A FIFO queue. Most flits enter and leave an empty queue, so the queue restarts at the beginning of its
  // storage whenever it becomes empty.
  class Queue {
   public:
    bool empty() const { return front_ == entries_.size(); }
    Flit front() const { return at(front_); }
    Flit back() const { return at(entries_.size() - 1); }
    // comes(): whether the last flit of the queue arrives in `cycle`. waits(): whether flits that arrived
    // earlier are queued.
    bool comes(Cycles cycle) const { return !empty() && entries_.back().came == cycle; }
    bool waits(Cycles cycle) const { return entries_.size() - front_ > (comes(cycle) ? 1U : 0U); }
    // Whether a flit that arrived before `cycle` waits to be stored.
    bool stores_wait(Cycles cycle) const { return stores_ > (comes(cycle) && !back().add ? 1 : 0); }
    void push(const Flit& flit, Cycles came);
    void pop();
    void pop_back();
    bool has_words(std::size_t first, std::size_t last) const;
    // The cycle in which the oldest flit arrived.
    Cycles front_came() const { return entries_[front_].came; }
    // Marks all flits that cover a word in [first, last) as read ahead.
    void mark_read(std::size_t first, std::size_t last);
    // Whether a flit that arrived before cycle `came` was read ahead and has words in common with `flit`,
    // while at least one of the two is to be stored.
    bool precedes(const Flit& flit, Cycles came) const;

   private:
    struct Entry {
      bool add;
      std::size_t word;
      std::size_t data;  // index of its first value in data_
      std::size_t count;
      Cycles came;
      bool read = false;  // whether the flit's words were read ahead
    };
    Flit at(std::size_t index) const {
      const Entry& entry = entries_[index];
      return {entry.add, entry.word, std::span(data_).subspan(entry.data, entry.count)};
    }

    void leaves(const Entry& entry);

    std::vector<Entry> entries_;
    std::vector<float> data_;
    std::size_t front_ = 0;
    int stores_ = 0;  // number of flits in the queue that are to be stored
    int read_ = 0;    // number of flits in the queue that were read ahead
  };
  enum class Goes { kNone, kOldest, kNewest };

  void pass(std::span<float> memory);
  void apply(const Flit& flit, std::span<float> memory);
  Goes goes(std::size_t port) const;
  bool in_order(const Flit& flit, Cycles came) const;
  bool is_free(std::size_t port, const Flit& flit, Cycles came) const;

  Cycles latency_;
  std::vector<Queue> queues_;  // [port]
  std::vector<PendingSum> pending_sums_;
  std::vector<Goes> going_;  // [port]
  Cycles cycle_ = 0;         // the next cycle to simulate
  int waiting_ = 0;
  // During a look-ahead, the words that it has written, with their previous values, in order; otherwise
  // nullptr.
  std::vector<std::pair<std::size_t, float>>* undo_ = nullptr;
};

}  // namespace coppice::ni
