#include "schedule/themis_plus.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "schedule/themis.h"

namespace coppice::schedule {
namespace {

constexpr IntraDimension kPolicy = IntraDimension::kSmallestChunkFirst;
constexpr Bytes kMostMoved = 8;  // an eighth of a chunk at once

class LocalSearch {
 public:
  LocalSearch(const LatencyModel& model, Collective collective, std::vector<ChunkPlan> start, Bytes quantum,
              std::uint64_t seed)
      : model_(model),
        collective_(collective),
        quantum_(quantum),
        random_(seed),
        simulation_(model),
        plans_(std::move(start)) {
    for (const ChunkPlan& plan : plans_) stages_.push_back(stages_of(model_, plan));
    best_ = simulation_.run(stages_, kPolicy);
  }

  void improve() {
    const std::size_t a = random_.below(plans_.size());
    const std::size_t b = random_.below(plans_.size());
    const ChunkPlan plan_a = plans_[a];
    const ChunkPlan plan_b = plans_[b];
    const auto stages_a = stages_[a];
    const auto stages_b = stages_[b];
    if (!change(a, b)) return;
    stages_[a] = stages_of(model_, plans_[a]);
    if (b != a) stages_[b] = stages_of(model_, plans_[b]);
    const Femtoseconds finish = simulation_.run(stages_, kPolicy);
    if (finish <= best_) {
      best_ = finish;
      return;
    }
    plans_[a] = plan_a;
    plans_[b] = plan_b;
    stages_[a] = stages_a;
    stages_[b] = stages_b;
  }

  Femtoseconds best() const { return best_; }
  std::vector<ChunkPlan> take() { return std::move(plans_); }

 private:
  // Changes chunk a, and b if it takes two; false if nothing came of it.
  bool change(std::size_t a, std::size_t b) {
    constexpr std::uint64_t kOdds = 8;
    const std::uint64_t what = random_.below(kOdds);
    if (what < 5) return reorder(plans_[a]);
    if (a == b) return false;
    if (what == 5) {
      std::swap(plans_[a], plans_[b]);
      return true;
    }
    return move_data(plans_[a], plans_[b]);
  }

  bool reorder(ChunkPlan& plan) {
    DimensionOrder order = plan.reduce_scatter;
    if (order.empty()) order.assign(plan.all_gather.rbegin(), plan.all_gather.rend());
    const DimensionOrder before = order;
    if (random_.below(4) == 0) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    } else {
      std::swap(order[random_.below(order.size())], order[random_.below(order.size())]);
    }
    plan = mirrored_plan(collective_, plan.bytes, order);
    return order != before;
  }

  bool move_data(ChunkPlan& from, ChunkPlan& to) {
    const Bytes most = from.bytes / kMostMoved / quantum_;
    if (most == 0) return false;
    const Bytes moved = (1 + static_cast<Bytes>(random_.below(static_cast<std::uint64_t>(most)))) * quantum_;
    from.bytes -= moved;
    to.bytes += moved;
    return true;
  }

  const LatencyModel& model_;
  Collective collective_;
  Bytes quantum_;
  Random random_;
  ChunkSimulation simulation_;
  std::vector<ChunkPlan> plans_;
  std::vector<std::vector<ChunkStage>> stages_;
  Femtoseconds best_ = 0;
};

}  // namespace

std::vector<ChunkPlan> schedule_themis_plus(const LatencyModel& model, Collective collective,
                                            std::span<const Chunk> chunks, Bytes quantum,
                                            const SearchEffort& effort) {
  std::vector<ChunkPlan> start = schedule_themis(model, collective, chunks);
  std::vector<ChunkPlan> baseline = schedule_baseline(model, collective, chunks);
  ChunkSimulation simulation(model);
  const Femtoseconds themis = simulation.run(start, kPolicy);
  if (simulation.run(baseline, kPolicy) < themis) start = std::move(baseline);
  LocalSearch search(model, collective, std::move(start), quantum, effort.seed);
  for (int i = 0; i < effort.simulations; ++i) search.improve();
  return search.take();
}

}  // namespace coppice::schedule
