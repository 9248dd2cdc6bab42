#include "ni/memory/reduction_queues.h"

#include <algorithm>

namespace coppice::ni {
namespace {

// The number of flits that may have left a queue before the storage of these flits is reclaimed.
constexpr std::size_t kKept = 256;

bool overlap(const ReductionQueues::Flit& flit, std::size_t first, std::size_t last) {
  return flit.word < last && first < flit.word + flit.data.size();
}

}  // namespace

void ReductionQueues::Queue::push(const Flit& flit, Cycles came) {
  entries_.push_back({flit.add, flit.word, data_.size(), flit.data.size(), came});
  if (!flit.add) ++stores_;
  data_.insert(data_.end(), flit.data.begin(), flit.data.end());
}

void ReductionQueues::Queue::leaves(const Entry& entry) {
  if (!entry.add) --stores_;
  if (entry.read) --read_;
}

void ReductionQueues::Queue::pop_back() {
  leaves(entries_.back());
  data_.resize(entries_.back().data);
  entries_.pop_back();
}

void ReductionQueues::Queue::pop() {
  leaves(entries_[front_]);
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

void ReductionQueues::Queue::mark_read(std::size_t first, std::size_t last) {
  for (std::size_t i = front_; i < entries_.size(); ++i) {
    if (entries_[i].read || !overlap(at(i), first, last)) continue;
    entries_[i].read = true;
    ++read_;
  }
}

bool ReductionQueues::Queue::precedes(const Flit& flit, Cycles came) const {
  if (read_ == 0) return false;
  for (std::size_t i = front_; i < entries_.size() && entries_[i].came < came; ++i) {
    if (!entries_[i].read || (flit.add && entries_[i].add)) continue;
    if (overlap(at(i), flit.word, flit.word + flit.data.size())) return true;
  }
  return false;
}

void ReductionQueues::apply(const Flit& flit, std::span<float> memory) {
  for (std::size_t i = 0; i < flit.data.size(); ++i) {
    float& value = memory[flit.word + i];
    if (undo_ != nullptr) undo_->emplace_back(flit.word + i, value);
    value = flit.add ? value + flit.data[i] : flit.data[i];
  }
}

void ReductionQueues::read_ahead(std::size_t first, std::size_t last, std::span<float> memory,
                                 const std::function<void()>& read) {
  std::vector<std::pair<std::size_t, float>> undo;
  if (waiting_ > 0) {
    for (Queue& queue : queues_) queue.mark_read(first, last);
    ReductionQueues later(*this);
    later.undo_ = &undo;
    later.settle(first, last, memory);
  }
  read();
  for (auto word = undo.rbegin(); word != undo.rend(); ++word) memory[word->first] = word->second;
}

void ReductionQueues::take(int port, const Flit& flit, Cycles now, std::span<float> memory) {
  advance(now, memory);
  queues_[static_cast<std::size_t>(port)].push(flit, cycle_);
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

bool ReductionQueues::in_order(const Flit& flit, Cycles came) const {
  return std::none_of(queues_.begin(), queues_.end(),
                      [&](const Queue& queue) { return queue.precedes(flit, came); });
}

// Whether no word of the flit is in a sum in progress or in an earlier flit at a lower-numbered port.
bool ReductionQueues::is_free(std::size_t port, const Flit& flit, Cycles came) const {
  const std::size_t last = flit.word + flit.data.size();
  for (const PendingSum& sum : pending_sums_) {
    if (overlap(flit, sum.first, sum.last)) return false;
  }
  if (!in_order(flit, came)) return false;
  for (std::size_t lower = 0; lower < port; ++lower) {
    const Queue& queue = queues_[lower];
    if (queue.waits(cycle_) && overlap(queue.front(), flit.word, last) &&
        in_order(queue.front(), queue.front_came())) {
      return false;
    }
    if (queue.comes(cycle_) && overlap(queue.back(), flit.word, last) && in_order(queue.back(), cycle_)) {
      return false;
    }
  }
  return true;
}

ReductionQueues::Goes ReductionQueues::goes(std::size_t port) const {
  const Queue& queue = queues_[port];
  const bool waits = queue.waits(cycle_);
  if (waits && is_free(port, queue.front(), queue.front_came())) return Goes::kOldest;
  if (!queue.comes(cycle_) || (waits && (!queue.back().add || queue.stores_wait(cycle_)))) return Goes::kNone;
  return is_free(port, queue.back(), cycle_) ? Goes::kNewest : Goes::kNone;
}

void ReductionQueues::pass(std::span<float> memory) {
  std::erase_if(pending_sums_, [this](const PendingSum& sum) { return sum.written < cycle_; });
  going_.clear();
  for (std::size_t port = 0; port < queues_.size(); ++port) going_.push_back(goes(port));
  for (std::size_t port = 0; port < queues_.size(); ++port) {
    if (going_[port] == Goes::kNone) continue;
    Queue& queue = queues_[port];
    const bool oldest = going_[port] == Goes::kOldest;
    const Flit flit = oldest ? queue.front() : queue.back();
    apply(flit, memory);
    if (flit.add) pending_sums_.push_back({cycle_ + latency_, flit.word, flit.word + flit.data.size()});
    if (oldest) {
      queue.pop();
    } else {
      queue.pop_back();
    }
    --waiting_;
  }
  ++cycle_;
}

}  // namespace coppice::ni
