#include "ni/reduction_queues.h"

#include <algorithm>
#include <utility>

namespace coppice::ni {
namespace {

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

void ReductionQueues::take(int port, Flit flit, Cycles now, std::span<float> memory) {
  advance(now, memory);
  queues_[static_cast<std::size_t>(port)].push_back(std::move(flit));
  ++waiting_;
}

void ReductionQueues::advance(Cycles now, std::span<float> memory) {
  while (cycle_ < now && waiting_ > 0) pass(memory);
  cycle_ = std::max(cycle_, now);
}

void ReductionQueues::settle(std::size_t first, std::size_t last, std::span<float> memory) {
  const auto waits = [&](const std::deque<Flit>& queue) {
    return std::any_of(queue.begin(), queue.end(),
                       [&](const Flit& flit) { return overlap(flit, first, last); });
  };
  while (std::any_of(queues_.begin(), queues_.end(), waits)) pass(memory);
}

bool ReductionQueues::goes(std::size_t port) const {
  const Flit& flit = queues_[port].front();
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
    const Flit& flit = queues_[port].front();
    apply(flit, memory);
    if (flit.add) under_way_.push_back({cycle_ + latency_ - 1, flit.word, flit.word + flit.data.size()});
    queues_[port].pop_front();
    --waiting_;
  }
  ++cycle_;
}

}  // namespace coppice::ni
