#include "ni/reduction_queues.h"

#include <algorithm>

namespace coppice::ni {
namespace {

// Flits that have left a queue before their place is taken back.
constexpr std::size_t kKept = 256;

bool overlap(const ReductionQueues::Flit& flit, std::size_t first, std::size_t last) {
  return flit.word < last && first < flit.word + flit.data.size();
}

void apply(const ReductionQueues::Flit& flit, std::span<float> memory) {
  for (std::size_t i = 0; i < flit.data.size(); ++i) {
    float& value = memory[flit.word + i];
    value = flit.add ? value + flit.data[i] : flit.data[i];
  }
}

}  // namespace

void ReductionQueues::Queue::push(const Flit& flit) {
  entries_.push_back({flit.add, flit.word, data_.size(), flit.data.size()});
  data_.insert(data_.end(), flit.data.begin(), flit.data.end());
}

void ReductionQueues::Queue::pop() {
  ++front_;
  if (!empty() && front_ < kKept) return;
  const std::size_t data = empty() ? data_.size() : entries_[front_].data;
  data_.erase(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(data));
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(front_));
  for (Entry& entry : entries_) entry.data -= data;
  front_ = 0;
}

bool ReductionQueues::Queue::has_words(std::size_t first, std::size_t last) const {
  for (std::size_t i = front_; i < entries_.size(); ++i) {
    if (overlap(at(i), first, last)) return true;
  }
  return false;
}

void ReductionQueues::take(int port, const Flit& flit, Cycles now, std::span<float> memory) {
  advance(now, memory);
  queues_[static_cast<std::size_t>(port)].push(flit);
  ++waiting_;
}

void ReductionQueues::advance(Cycles now, std::span<float> memory) {
  while (cycle_ < now && waiting_ > 0) pass(memory);
  cycle_ = std::max(cycle_, now);
}

void ReductionQueues::settle(std::size_t first, std::size_t last, std::span<float> memory) {
  const auto waits = [&](const Queue& queue) { return queue.has_words(first, last); };
  while (std::any_of(queues_.begin(), queues_.end(), waits)) pass(memory);
}

bool ReductionQueues::goes(std::size_t port) const {
  const Flit flit = queues_[port].front();
  const std::size_t last = flit.word + flit.data.size();
  for (const UnderWay& sum : under_way_) {
    if (overlap(flit, sum.first, sum.last)) return false;
  }
  for (std::size_t lower = 0; lower < port; ++lower) {
    if (!queues_[lower].empty() && overlap(queues_[lower].front(), flit.word, last)) return false;
  }
  return true;
}

void ReductionQueues::pass(std::span<float> memory) {
  std::erase_if(under_way_, [this](const UnderWay& sum) { return sum.written < cycle_; });
  going_.clear();
  for (std::size_t port = 0; port < queues_.size(); ++port) {
    if (!queues_[port].empty() && goes(port)) going_.push_back(port);
  }
  for (const std::size_t port : going_) {
    const Flit flit = queues_[port].front();
    apply(flit, memory);
    if (flit.add) under_way_.push_back({cycle_ + latency_ - 1, flit.word, flit.word + flit.data.size()});
    queues_[port].pop();
    --waiting_;
  }
  ++cycle_;
}

}  // namespace coppice::ni
