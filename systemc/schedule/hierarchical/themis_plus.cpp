#include "schedule/hierarchical/themis_plus.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "schedule/hierarchical/themis.h"

namespace coppice::schedule {
namespace {

constexpr double kNearIdeal = 0.995;  // utilization that ends the search
constexpr Bytes kMostMoved = 8;       // a move transfers at most 1 / kMostMoved of a chunk
// Limits on all-gathers in an order other than the reverse of their reduce-scatter. Such all-gathers may add
// at most a tenth more messages, and are tried only on two dimensions, where few other orders exist. On the
// systems of Themis, Table 2, additional messages changed the utilization by -0.3 to 0.15 percentage points.
// Tables of up to 256 accelerators are stored and proven entry by entry in any case. On the 1,024
// accelerators of 2D-SW_SW, such all-gathers would use 99.6% instead of 98.9% of the bandwidth, but the proof
// would take eight times as long as everything else.
constexpr std::int64_t kMoreMessages = 10;
constexpr std::size_t kMostDimensions = 2;
constexpr Bytes kMostAccelerators = 256;

class LocalSearch {
 public:
  LocalSearch(const LatencyModel& model, Collective collective, std::vector<ChunkPlan> start,
              IntraDimension policy, Bytes quantum, std::uint64_t seed)
      : model_(model),
        collective_(collective),
        policy_(policy),
        quantum_(quantum),
        random_(seed),
        simulation_(model),
        plans_(std::move(start)) {
    for (const ChunkPlan& plan : plans_) ways_.push_back(way(plan));
    best_ = simulation_.run(ways_);
    for (const ChunkPath& way : ways_) messages_ += messages_of(way);
    most_messages_ = messages_ + messages_ / kMoreMessages;
    parts_ways_ = collective == Collective::kAllReduce && model.dimensions() <= kMostDimensions &&
                  model.accelerators() <= kMostAccelerators && !model.adds_in_network();
  }

  void improve() {
    const std::size_t a = random_.below(plans_.size());
    const std::size_t b = random_.below(plans_.size());
    const ChunkPlan plan_a = plans_[a];
    const ChunkPlan plan_b = plans_[b];
    if (!change(a, b)) return;
    ChunkPath way_a = std::exchange(ways_[a], way(plans_[a]));
    ChunkPath way_b;
    if (b != a) way_b = std::exchange(ways_[b], way(plans_[b]));
    std::int64_t messages = messages_ + messages_of(ways_[a]) - messages_of(way_a);
    if (b != a) messages += messages_of(ways_[b]) - messages_of(way_b);
    const bool too_many = messages > most_messages_ && messages > messages_;
    const Femtoseconds finish = too_many ? ChunkSimulation::kNever : simulation_.run(ways_, best_);
    if (finish <= best_) {
      best_ = finish;
      messages_ = messages;
      return;
    }
    plans_[a] = plan_a;
    ways_[a] = std::move(way_a);
    if (b == a) return;
    plans_[b] = plan_b;
    ways_[b] = std::move(way_b);
  }

  Femtoseconds best() const { return best_; }
  std::vector<ChunkPlan> take() { return std::move(plans_); }

 private:
  // Changes chunk a and, if the move involves two chunks, chunk b. Returns false if nothing has changed.
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

  static std::int64_t messages_of(const ChunkPath& way) {
    std::int64_t messages = 0;
    for (const ChunkStep& step : way) messages += step.messages;
    return messages;
  }

  bool reorder(ChunkPlan& plan) {
    if (parts_ways_ && random_.below(3) == 0) {
      std::swap(plan.all_gather.front(), plan.all_gather.back());
      return plan.all_gather.size() > 1;
    }
    DimensionOrder order = plan.reduce_scatter;
    if (order.empty()) order.assign(plan.all_gather.rbegin(), plan.all_gather.rend());
    if (random_.below(4) == 0) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    } else {
      std::swap(order[random_.below(order.size())], order[random_.below(order.size())]);
    }
    const ChunkPlan before = std::exchange(plan, mirrored_plan(collective_, plan.bytes, order));
    return plan != before;
  }

  bool move_data(ChunkPlan& from, ChunkPlan& to) {
    const Bytes most = from.bytes / kMostMoved / quantum_;
    if (most == 0) return false;
    const Bytes moved = (1 + static_cast<Bytes>(random_.below(static_cast<std::uint64_t>(most)))) * quantum_;
    from.bytes -= moved;
    to.bytes += moved;
    return true;
  }

  ChunkPath way(const ChunkPlan& plan) const { return chunk_path(model_, plan, policy_, Grain::kSteps); }

  const LatencyModel& model_;
  Collective collective_;
  IntraDimension policy_;
  Bytes quantum_;
  Random random_;
  ChunkSimulation simulation_;
  std::vector<ChunkPlan> plans_;
  std::vector<ChunkPath> ways_;
  std::int64_t messages_ = 0;  // number of messages per accelerator
  std::int64_t most_messages_ = 0;
  bool parts_ways_ = false;  // whether all-gathers may deviate from the reverse order of the reduce-scatter
  Femtoseconds best_ = 0;
};

}  // namespace

ChunkSchedule schedule_themis_plus(const LatencyModel& model, Collective collective,
                                   std::span<const Chunk> chunks, Bytes quantum,
                                   std::optional<IntraDimension> policy, const SearchEffort& effort) {
  const IntraDimension own = policy.value_or(usual_policy(ChunkScheduler::kThemisPlus));
  const std::vector<ChunkPlan> themis = schedule_themis(model, collective, chunks);
  std::vector<ChunkPlan> start = themis;
  std::vector<ChunkPlan> baseline = schedule_baseline(model, collective, chunks);
  ChunkSimulation simulation(model);
  if (simulation.run(baseline, own) < simulation.run(themis, own)) start = std::move(baseline);
  Bytes data = 0;
  for (const Chunk& chunk : chunks) data += chunk.bytes;
  const auto enough =
      static_cast<Femtoseconds>(static_cast<double>(ideal_time(model, collective, data)) / kNearIdeal);
  Femtoseconds best = ChunkSimulation::kNever;
  std::vector<ChunkPlan> found;
  for (int number = 0; number < effort.searches && best > enough; ++number) {
    LocalSearch search(model, collective, start, own, quantum,
                       effort.seed + static_cast<std::uint64_t>(number));
    for (int i = 0; i < effort.simulations; ++i) search.improve();
    if (search.best() >= best) continue;
    best = search.best();
    found = search.take();
  }
  if (!policy && simulation.run(themis, IntraDimension::kSmallestChunkFirst) < best) {
    return {themis, IntraDimension::kSmallestChunkFirst};
  }
  return {std::move(found), own};
}

}  // namespace coppice::schedule
