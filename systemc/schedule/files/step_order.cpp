#include "schedule/files/step_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace coppice::schedule {
namespace {

// The number of blocks whose steps are tracked in one pass over the trace.
constexpr std::size_t kBlocksAtOnce = 16;
// [block]: the number of the block's last step that precedes a given step.
using Clock = std::array<std::int32_t, kBlocksAtOnce>;

}  // namespace

std::int32_t StepOrder::add(std::int32_t block, std::span<const std::int32_t> after) {
  const auto number = static_cast<std::int32_t>(steps_.size());
  if (last_of_block_.size() <= static_cast<std::size_t>(block)) {
    last_of_block_.resize(static_cast<std::size_t>(block) + 1, -1);
  }
  std::int32_t& last = last_of_block_[static_cast<std::size_t>(block)];
  Step step{block, last, static_cast<std::int32_t>(after_.size()), 0};
  after_.insert(after_.end(), after.begin(), after.end());
  step.end_after = static_cast<std::int32_t>(after_.size());
  steps_.push_back(step);
  last = number;
  return number;
}

void StepOrder::read(std::int32_t step, NodeId gpu, MscclCell cell) {
  Cell& accesses = cells_[{gpu, cell}];
  compare(accesses.last_write, step, gpu, cell, true, false);
  accesses.reads.push_back(step);
}

void StepOrder::write(std::int32_t step, NodeId gpu, MscclCell cell) {
  Cell& accesses = cells_[{gpu, cell}];
  compare(accesses.last_write, step, gpu, cell, true, true);
  for (const std::int32_t read : accesses.reads) compare(read, step, gpu, cell, false, true);
  accesses.reads.clear();
  accesses.last_write = step;
}

void StepOrder::compare(std::int32_t earlier, std::int32_t later, NodeId gpu, MscclCell cell,
                        bool earlier_writes, bool later_writes) {
  if (earlier < 0 || plainly_before(earlier, later)) return;
  in_question_.push_back({earlier, later, gpu, cell, earlier_writes, later_writes});
}

// Whether two steps are ordered by the sequence of a block's steps or by a direct dependency.
bool StepOrder::plainly_before(std::int32_t earlier, std::int32_t later) const {
  const Step& before = steps_[static_cast<std::size_t>(earlier)];
  const Step& step = steps_[static_cast<std::size_t>(later)];
  if (before.block == step.block) return true;
  for (std::int32_t i = step.first_after; i < step.end_after; ++i) {
    const std::int32_t after = after_[static_cast<std::size_t>(i)];
    if (after >= earlier && steps_[static_cast<std::size_t>(after)].block == before.block) return true;
  }
  return false;
}

std::vector<UnorderedAccess> StepOrder::unordered() const {
  std::vector<UnorderedAccess> questions = in_question_;
  const auto block_of = [&](const UnorderedAccess& access) {
    return steps_[static_cast<std::size_t>(access.earlier)].block;
  };
  std::ranges::stable_sort(questions, {}, block_of);
  std::vector<UnorderedAccess> found;
  std::vector<Clock> clocks(questions.empty() ? 0 : steps_.size());
  // [block]: its index in a clock; -1 if this pass does not track the block.
  std::vector<std::int32_t> place(last_of_block_.size(), -1);
  for (std::size_t begin = 0; begin < questions.size();) {
    std::size_t end = begin;
    std::size_t blocks = 0;
    std::ranges::fill(place, -1);
    for (; end < questions.size(); ++end) {
      std::int32_t& at = place[static_cast<std::size_t>(block_of(questions[end]))];
      if (at < 0 && blocks == kBlocksAtOnce) break;
      if (at < 0) at = static_cast<std::int32_t>(blocks++);
    }
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const Step& step = steps_[s];
      Clock clock;
      clock.fill(-1);
      const auto follow = [&](std::int32_t earlier) {
        const Clock& other = clocks[static_cast<std::size_t>(earlier)];
        for (std::size_t i = 0; i < kBlocksAtOnce; ++i) clock[i] = std::max(clock[i], other[i]);
      };
      if (step.previous >= 0) follow(step.previous);
      for (std::int32_t i = step.first_after; i < step.end_after; ++i) {
        follow(after_[static_cast<std::size_t>(i)]);
      }
      const std::int32_t own = place[static_cast<std::size_t>(step.block)];
      if (own >= 0) clock[static_cast<std::size_t>(own)] = static_cast<std::int32_t>(s);
      clocks[s] = clock;
    }
    for (; begin < end; ++begin) {
      const UnorderedAccess& access = questions[begin];
      const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(block_of(access))]);
      if (clocks[static_cast<std::size_t>(access.later)][at] < access.earlier) found.push_back(access);
    }
  }
  std::ranges::stable_sort(found, {}, &UnorderedAccess::later);
  return found;
}

}  // namespace coppice::schedule
