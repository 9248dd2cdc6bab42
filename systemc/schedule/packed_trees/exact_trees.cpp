#include "schedule/packed_trees/exact_trees.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/packed_trees/arborescences.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/paced_network.h"
#include "schedule/packed_trees/piece_choice.h"
#include "schedule/packed_trees/piece_tables.h"
#include "schedule/packed_trees/routed_trees.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/bounds/bound.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

// The maximum number of steps over arcs in a packing; each takes a few nanoseconds.
constexpr std::int64_t kMostWork = 400'000'000;
constexpr std::int64_t kMostPacedWork = 20'000'000;  // the same for networks divided by pace
// Packings with less than this share of the bound's rate are discarded.
constexpr double kLeastRate = 0.9;
// Piece sizes range from 1/kShorter to kLonger times the data that fits into a router's buffer. Sizes that
// need more than kMostMessages messages are skipped.
constexpr Bytes kShorter = 4;
constexpr Bytes kLonger = 16;
constexpr std::int64_t kMostMessages = 1'500'000;
constexpr std::size_t kExecuted = 4;  // number of orders whose tables are built, lowest estimates first
constexpr double kSpare = 0.25;       // slack for late data, as a fraction of a period
// The tables of an order are built only if its estimated time is at most this share of the best time so far.
constexpr double kWorthExecuting = 0.995;
constexpr Bytes kProbe = Bytes{1} << 40;

Topology reversed(const Topology& topology) {
  Topology result(topology::Kind::kFile, {}, topology.num_accelerators(), topology.num_switches());
  for (const topology::Channel& channel : topology.channels())
    result.add_channel(channel.dst, channel.src, channel.bandwidth, channel.latency);
  return result;
}

// The upper bound on the rate at which all accelerators can receive the data of all trees.
double bound_rate(const Topology& topology, const CompileRequest& request) {
  const int n = topology.num_accelerators();
  const auto rate = [](double ns) { return static_cast<double>(kProbe) / ns * 1e9; };
  if (request.collective == Collective::kAllReduce)
    return rate(topology::least_all_reduce_time(topology, kProbe).ns() / 2);
  std::vector<Bytes> shares(static_cast<std::size_t>(n), request.root < 0 ? kProbe / n : 0);
  if (request.root >= 0) shares[static_cast<std::size_t>(request.root)] = kProbe;
  return rate(topology::least_share_time(topology, Collective::kAllGather, shares).ns());
}

// Repeats every tree as many times as its weight, with the trees of each owner adjacent.
std::vector<PackedTree> repeat_by_weight(ArborescencePacking packing) {
  std::vector<PackedTree> trees;
  for (std::size_t i = 0; i < packing.trees.size(); ++i)
    trees.insert(trees.end(), static_cast<std::size_t>(packing.weights[i]), packing.trees[i]);
  std::ranges::stable_sort(trees, {}, &PackedTree::root);
  return trees;
}

// A tree's hops in reverse order, with each channel replaced by its image in the opposite direction.
template <typename Image>
std::vector<TreeHop> backwards(const PackedTree& tree, Image image) {
  std::vector<TreeHop> hops;
  for (auto hop = tree.hops.rbegin(); hop != tree.hops.rend(); ++hop) {
    TreeHop& back = hops.emplace_back(TreeHop{Op::kReduce, hop->dst, hop->src, {}});
    for (auto id = hop->path.rbegin(); id != hop->path.rend(); ++id) back.path.push_back(image(*id));
  }
  return hops;
}

// Tries several orders of the trees' pieces and keeps the fastest tables.
class SteadyTables {
 public:
  SteadyTables(const Topology& topology, const CompileRequest& request, Femtoseconds limit)
      : topology_(topology), request_(request) {
    best_.expected = limit;
  }

  // Tries trees that reduce and broadcast at the same time.
  void add(std::vector<PackedTree> trees) {
    trees_ = std::move(trees);
    timing_.reset();
    add_orders(PieceScheduler(topology_, request_, trees_));
  }
  // Tries trees that lead down from their roots in `network`. `image` maps each channel to the channel that
  // the reduction uses in the opposite direction. Depending on the collective, the tables reduce over the
  // reversed trees, gather over the trees, or first reduce and then gather.
  template <typename Image>
  void add(const Topology& network, std::vector<PackedTree> down, Image image) {
    trees_.clear();
    for (const PackedTree& tree : down) {
      PackedTree& made = trees_.emplace_back(PackedTree{tree.root, {}});
      if (request_.collective != Collective::kAllGather) made.hops = backwards(tree, image);
      if (request_.collective != Collective::kReduceScatter)
        made.hops.insert(made.hops.end(), tree.hops.begin(), tree.hops.end());
    }
    down_ = std::move(down);
    CompileRequest gather = request_;
    gather.collective = Collective::kAllGather;
    timing_.emplace(network, gather);
    add_orders(PieceScheduler(network, gather, down_));
  }

  // The fastest tables; none if no tables finish by the limit.
  PackedTables best() { return std::move(best_); }

 private:
  struct Trial {
    Femtoseconds finish = 0;  // estimated time of the last arrival
    int pieces = 1;
    double spare = 0;
  };

  void add_orders(const PieceScheduler& scheduler) {
    const auto trees = static_cast<Bytes>(trees_.size());
    const Bytes most = std::max<Bytes>(request_.size / request_.element / trees, 1);
    const Bytes flit = std::max<Bytes>(request_.timing.flit, request_.element);
    const Bytes buffered = std::max(scheduler.longest_buffered(), flit);
    const int phases = timing_ && request_.collective == Collective::kAllReduce ? 2 : 1;
    std::vector<Trial> trials;
    for (Bytes bytes = std::max(buffered / kShorter, flit); bytes <= kLonger * buffered; bytes *= 2) {
      const Bytes pieces = std::clamp<Bytes>((request_.size + trees * bytes - 1) / (trees * bytes), 1, most);
      if (pieces * static_cast<Bytes>(scheduler.hops()) > kMostMessages) continue;
      const Bytes piece = std::min(bytes, std::max(request_.size / trees, request_.element));
      for (const double spare : {kSpare, 1.0}) {
        const auto count = static_cast<int>(pieces);
        const std::optional<Femtoseconds> finish = scheduler.finish_steady(piece, count, spare);
        if (finish) trials.push_back({phases * *finish, count, spare});
      }
      if (pieces == 1) break;
    }
    std::ranges::stable_sort(trials, {}, &Trial::finish);
    for (std::size_t i = 0; i < std::min(kExecuted, trials.size()); ++i) {
      if (static_cast<double>(trials[i].finish) > kWorthExecuting * static_cast<double>(best_.expected))
        return;
      execute(scheduler, trials[i]);
    }
  }

  void execute(const PieceScheduler& scheduler, const Trial& trial) {
    const std::vector<Chunk> flows = cut_into_pieces(request_, static_cast<int>(trees_.size()), trial.pieces,
                                                     owners_of(topology_, request_));
    std::vector<Bytes> bytes;
    for (const Chunk& flow : flows) bytes.push_back(flow.bytes);
    auto order = scheduler.schedule_steady(bytes, trial.pieces, trial.spare);
    if (!order) return;
    if (timing_) order = both_phases(*std::move(order), bytes);
    Schedule schedule = build_piece_tables(topology_, request_, kPackedTrees, trees_, flows, *order);
    const Femtoseconds time =
        expected_time(topology_, request_, schedule, best_.expected, Waiting::kInVirtualChannels);
    if (time >= best_.expected) return;
    schedule.chunks = trial.pieces;
    best_ = {std::move(schedule), time, true};
  }

  // Extends the message order of the downward trees to all phases of the collective.
  PieceSchedule both_phases(PieceSchedule down, std::span<const Bytes> bytes) const {
    PieceSchedule order;
    if (request_.collective != Collective::kAllGather) order = mirrored(down, bytes);
    if (request_.collective == Collective::kReduceScatter) return order;
    for (TimedPiece& message : down.messages) {
      const auto t = static_cast<std::size_t>(message.tree);
      message.hop += static_cast<std::int32_t>(trees_[t].hops.size() - down_[t].hops.size());
      message.start += order.finish;
    }
    if (order.messages.empty()) return down;
    for (TimedPiece& message : down.messages) {
      message.step = 0;
      order.messages.push_back(message);
    }
    order.finish += down.finish;
    return order;
  }

  // The messages of `down`, each in the opposite direction and all in reverse order, with pieces renumbered
  // in ascending order.
  PieceSchedule mirrored(const PieceSchedule& down, std::span<const Bytes> bytes) const {
    const std::size_t trees = trees_.size();
    std::vector<int> last(trees, 0);  // [tree]: its last nonempty piece
    for (std::size_t flow = 0; flow < bytes.size(); ++flow) {
      if (bytes[flow] > 0) last[flow % trees] = static_cast<int>(flow / trees);
    }
    PieceSchedule order;
    order.finish = down.finish;
    for (const TimedPiece& message : down.messages) {
      const auto t = static_cast<std::size_t>(message.tree);
      const TreeHop& hop = down_[t].hops[static_cast<std::size_t>(message.hop)];
      const Bytes length = bytes[static_cast<std::size_t>(message.piece) * trees + t];
      const Femtoseconds end =
          message.start + timing_->busy(hop.path, length) + timing_->delay(hop.path, hop.op);
      order.messages.push_back({message.tree,
                                static_cast<std::int32_t>(down_[t].hops.size()) - 1 - message.hop,
                                last[t] - message.piece, down.finish - end, 0});
    }
    std::ranges::stable_sort(order.messages, {}, &TimedPiece::start);
    return order;
  }

  const Topology& topology_;
  const CompileRequest& request_;
  std::vector<PackedTree> down_;
  std::vector<PackedTree> trees_;
  std::optional<MessageTiming> timing_;  // timing of the downward trees, if there are any
  PackedTables best_;
};

// Tries arborescences. Their roots are the accelerators that own the data; for an all-reduce, roots are
// chosen freely.
void add_arborescences(const Topology& topology, const CompileRequest& request, SteadyTables& tables) {
  const bool all_reduce = request.collective == Collective::kAllReduce;
  const auto twins = twins_of(topology);
  if (all_reduce && !twins) return;
  const bool backwards = request.collective == Collective::kReduceScatter;
  const Topology network = backwards ? reversed(topology) : topology;
  Roots roots{all_reduce ? Roots::Shares::kFree : Roots::Shares::kEqual, request.root};
  if (request.root >= 0) roots.shares = Roots::Shares::kOne;
  const double bound = bound_rate(network, request);
  auto packing = pack_arborescences(network, roots, bound, kMostWork);
  if (!packing || packing->bytes_per_second < kLeastRate * bound) return;
  tables.add(network, repeat_by_weight(*std::move(packing)),
             [&](ChannelId id) { return all_reduce ? (*twins)[static_cast<std::size_t>(id)] : id; });
}

// Tries arborescences whose paths keep ports busy for the least time. An all-reduce reduces and broadcasts at
// the same time.
void add_paced_arborescences(const Topology& topology, const CompileRequest& request, SteadyTables& tables) {
  const bool all_reduce = request.collective == Collective::kAllReduce;
  const auto twins = twins_of(topology);
  if (all_reduce && !twins) return;
  const bool reverse = request.collective == Collective::kReduceScatter;
  const Topology network = reverse ? reversed(topology) : topology;
  Roots roots{all_reduce ? Roots::Shares::kFree : Roots::Shares::kEqual, request.root};
  if (request.root >= 0 && !all_reduce) roots.shares = Roots::Shares::kOne;
  const TreeUse use = all_reduce ? TreeUse::kBoth : reverse ? TreeUse::kUp : TreeUse::kDown;
  const auto paced = divide_by_pace(network, roots, use, all_reduce ? *twins : std::vector<ChannelId>{});
  if (!paced) return;
  auto packing = pack_arborescences(paced->network, roots, paced->bytes_per_second, kMostPacedWork, true);
  if (!packing) return;
  for (PackedTree& tree : packing->trees) {
    for (TreeHop& hop : tree.hops) {
      for (ChannelId& id : hop.path) id = paced->channels[static_cast<std::size_t>(id)];
    }
  }
  std::vector<PackedTree> trees = repeat_by_weight(*std::move(packing));
  if (!all_reduce) {
    tables.add(network, std::move(trees), [](ChannelId id) { return id; });
    return;
  }
  for (PackedTree& tree : trees) {
    const std::vector<TreeHop> up =
        backwards(tree, [&](ChannelId id) { return (*twins)[static_cast<std::size_t>(id)]; });
    tree.hops.insert(tree.hops.begin(), up.begin(), up.end());
  }
  tables.add(std::move(trees));
}

}  // namespace

PackedTables pack_exactly(const Topology& topology, const CompileRequest& request, Femtoseconds limit) {
  SteadyTables tables(topology, request, limit);
  add_arborescences(topology, request, tables);
  add_paced_arborescences(topology, request, tables);
  for (TreeChoice& choice : choose_routed_trees(topology, request)) tables.add(std::move(choice.trees));
  return tables.best();
}

}  // namespace coppice::schedule
