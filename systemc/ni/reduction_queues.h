#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace coppice::ni {

// In which order the reduction unit adds or stores the flits that come at its ports, and so how sums round:
// as rtl/ni/reduction_unit.v does. A flit goes on in the cycle in which it comes. It waits in its port's
// queue while words of it are in a sum under way, which is written `latency` - 1 cycles after its flit went
// on, or in a lower port's flit of the same cycle; those behind it wait with it.
class ReductionQueues {
 public:
  struct Flit {
    bool add = false;  // else store
    std::size_t word = 0;
    std::span<const float> data;
  };

  ReductionQueues(int ports, Cycles latency) : latency_(latency), queues_(static_cast<std::size_t>(ports)) {}

  // A flit comes in cycle `now`, at most one a port and cycle; earlier cycles pass first, over `memory`. Its
  // data are copied.
  void take(int port, const Flit& flit, Cycles now, std::span<float> memory);
  // Lets the cycles before `now` pass.
  void advance(Cycles now, std::span<float> memory);
  // Lets cycles pass until no flit waits that has one of the words [first, last).
  void settle(std::size_t first, std::size_t last, std::span<float> memory);
  bool empty() const { return waiting_ == 0; }

 private:
  struct UnderWay {
    Cycles written;  // may be read from the next cycle on
    std::size_t first;
    std::size_t last;
  };

  // First in, first out. Most flits find it empty and leave it empty, so it starts again from the front then.
  class Queue {
   public:
    bool empty() const { return front_ == entries_.size(); }
    Flit front() const { return at(front_); }
    void push(const Flit& flit);
    void pop();
    bool has_words(std::size_t first, std::size_t last) const;

   private:
    struct Entry {
      bool add;
      std::size_t word;
      std::size_t data;  // index of its first in data_
      std::size_t count;
    };
    Flit at(std::size_t index) const {
      const Entry& entry = entries_[index];
      return {entry.add, entry.word, std::span(data_).subspan(entry.data, entry.count)};
    }

    std::vector<Entry> entries_;
    std::vector<float> data_;
    std::size_t front_ = 0;
  };

  void pass(std::span<float> memory);
  bool goes(std::size_t port) const;

  Cycles latency_;
  std::vector<Queue> queues_;  // [port]
  std::vector<UnderWay> under_way_;
  std::vector<std::size_t> going_;
  Cycles cycle_ = 0;  // the next to pass
  int waiting_ = 0;
};

}  // namespace coppice::ni
