#include "schedule/packed_trees/packed_trees.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/table_builder.h"
#include "schedule/multitree/multitree.h"
#include "schedule/multitree/multitree_optimal.h"
#include "schedule/packed_trees/circuits.h"
#include "schedule/packed_trees/exact_trees.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/link_trees.h"
#include "schedule/packed_trees/piece_choice.h"
#include "schedule/packed_trees/piece_tables.h"
#include "schedule/packed_trees/routed_trees.h"
#include "schedule/packed_trees/stepped_trees.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "schedule/trees/halving_doubling.h"
#include "schedule/trees/scheduled_trees.h"
#include "topology/bounds/bound.h"
#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

// The number of tree choices that are scheduled completely. To select these choices, only some of the pieces
// of each choice are scheduled.
constexpr std::size_t kScheduledChoices = 2;
// With more messages than this, only the best choice is scheduled, because pipelines are then long and
// estimates accurate.
constexpr std::int64_t kComparedMessages = 150'000;

// Trees are rejected without ordering their pieces if their estimate exceeds this multiple of the limit.
constexpr double kPessimism = 1.5;

// The maximum numbers of accelerators for multitree_optimal (without switches) and multitree (with switches),
// which take too long to compile for more accelerators.
constexpr int kMostForEqualTrees = 256;
constexpr int kMostBehindSwitches = 64;
// Packed trees are compiled before tables with one tree per accelerator if the lower bound is less than this
// share of the least time of those tables.
constexpr double kUnlikeShare = 0.8;

// Exact packing is tried only if the lower bound is less than kWorthSplitting times the best time so far, and
// further kinds of trees only if it is less than kWorthOthers times that time.
constexpr double kWorthSplitting = 0.98;
constexpr double kWorthOthers = 0.995;

// Trees through switches are not grown besides trees over circuits if growing them takes more steps than this
// (1.5 s).
constexpr std::int64_t kMostSteps = 30'000'000;

// Empirical ratios of actual to estimated time if several ports send over the same channel: kTimesteps if
// timesteps keep their messages apart, otherwise kContention.
constexpr double kTimesteps = 1.08;
constexpr double kContention = 1.1;
// A timetable or short pieces are used only if they finish within this share of the repeating order's
// expected time.
constexpr double kWorthwhile = 0.97;

struct Candidate {
  TreeChoice trees;
  PieceChoice pieces;
  std::vector<Chunk> flows{};
  PieceSchedule schedule{};
  bool buffered = false;  // whether pieces wait in router buffers
};

// The expected time of messages of `bytes` bytes, divided by the estimated time.
double slowdown(const PieceScheduler& scheduler, Bytes bytes) {
  if (!scheduler.shares_channels()) return 1;
  return scheduler.in_steps(bytes) ? kTimesteps : kContention;
}

// Collects tree choices, each with its best number of pieces, and schedules the best of them.
class Candidates {
 public:
  // Keeps only candidates expected to finish by `limit`.
  Candidates(const topology::Topology& topology, const CompileRequest& request, Femtoseconds limit)
      : topology_(topology), request_(request), owners_(owners_of(topology, request)), limit_(limit) {}

  // Adds a choice unless an earlier one is expected to be faster.
  void add(TreeChoice choice) {
    const PieceScheduler scheduler(topology_, request_, choice.trees);
    const Bytes share = request_.size / static_cast<Bytes>(choice.trees.size());
    const double slower = slowdown(scheduler, share);
    // A timetable avoids the slowdown, so the estimate omits the slowdown if a timetable is possible.
    const double estimate = scheduler.in_steps(share) ? choice.estimate : slower * choice.estimate;
    if (estimate > static_cast<double>(least_) || estimate > kPessimism * static_cast<double>(limit_)) {
      refused_ = std::min(refused_, static_cast<Femtoseconds>(estimate));
      return;
    }
    PieceChoice pieces = choose_pieces(scheduler, request_, topology_.num_accelerators(),
                                       static_cast<int>(choice.trees.size()), choice.pieces, owners_, least_);
    const auto promised = static_cast<double>(pieces.finish);
    pieces.finish = static_cast<Femtoseconds>(slower * promised);
    if (scheduler.shares_channels()) {
      const auto limit = static_cast<Femtoseconds>(kWorthwhile * promised);
      const PieceChoice periodic =
          choose_periodic(scheduler, request_, topology_.num_accelerators(),
                          static_cast<int>(choice.trees.size()), owners_, std::min(limit, least_));
      if (periodic.finish < limit) pieces = periodic;
      PieceChoice buffered = choose_buffered(scheduler, request_, topology_.num_accelerators(),
                                             static_cast<int>(choice.trees.size()), owners_, limit);
      if (buffered.finish < limit) {
        buffered.finish = static_cast<Femtoseconds>(slower * static_cast<double>(buffered.finish));
        if (buffered.finish < pieces.finish) pieces = buffered;
      }
    }
    least_ = std::min(least_, pieces.finish);
    candidates_.push_back({std::move(choice), pieces});
  }

  // The earliest expected finish of all candidates.
  Femtoseconds least() const { return least_; }

  PackedTables schedule_best() {
    if (candidates_.empty() || least_ > limit_) return {std::nullopt, std::min(least_, refused_)};
    std::ranges::stable_sort(candidates_, {}, [](const Candidate& c) { return c.pieces.finish; });
    const Candidate& first = candidates_.front();
    require_memory_for(first);
    const std::int64_t messages = std::int64_t{2} * topology_.num_accelerators() *
                                  static_cast<std::int64_t>(first.trees.trees.size()) *
                                  first.pieces.order.pieces;
    candidates_.resize(messages > kComparedMessages ? 1 : std::min(candidates_.size(), kScheduledChoices));
    for (Candidate& candidate : candidates_) put_in_order(candidate);
    const Candidate& best =
        *std::ranges::min_element(candidates_, {}, [](const Candidate& c) { return c.schedule.finish; });
    Schedule schedule = build_piece_tables(topology_, request_, PackedTreesCompiler::info().name,
                                           best.trees.trees, best.flows, best.schedule);
    if (request_.chunks == kAutomaticChunks) schedule.chunks = best.pieces.order.pieces;
    const bool shared = PieceScheduler(topology_, request_, best.trees.trees).shares_channels();
    return {std::move(schedule), best.schedule.finish, best.buffered, shared && !best.schedule.in_steps};
  }

 private:
  static void require_memory_for(const Candidate& candidate) {
    std::size_t hops = 0;
    for (const PackedTree& tree : candidate.trees.trees) hops += tree.hops.size();
    require_memory(PackedTreesCompiler::info().name,
                   static_cast<std::int64_t>(hops) * candidate.pieces.order.pieces, machine_memory());
  }

  void put_in_order(Candidate& candidate) const {
    const PieceOrder& order = candidate.pieces.order;
    const std::vector<PackedTree>& trees = candidate.trees.trees;
    const auto tree_count = static_cast<int>(trees.size());
    candidate.flows = cut_into_pieces(request_, tree_count, order.pieces, owners_);
    std::vector<Bytes> bytes;
    for (const Chunk& flow : candidate.flows) bytes.push_back(flow.bytes);
    const PieceScheduler scheduler(topology_, request_, trees);
    if (candidate.pieces.periodic) {
      if (auto periodic = scheduler.schedule_periodic(bytes, order.pieces)) {
        candidate.schedule = *std::move(periodic);
        return;
      }
    }
    candidate.schedule = scheduler.schedule_repeating(bytes, order, request_.chunks != kAutomaticChunks);
    candidate.buffered = scheduler.buffered(bytes.front());
    const double slower = slowdown(scheduler, bytes.front());
    candidate.schedule.finish =
        static_cast<Femtoseconds>(slower * static_cast<double>(candidate.schedule.finish));
  }

  const topology::Topology& topology_;
  const CompileRequest& request_;
  int owners_;
  Femtoseconds limit_;
  Femtoseconds least_ = std::numeric_limits<Femtoseconds>::max();  // earliest finish of all candidates
  // The lowest estimate of the rejected choices.
  Femtoseconds refused_ = std::numeric_limits<Femtoseconds>::max();
  std::vector<Candidate> candidates_;
};

// Chooses trees for networks without switches.
std::vector<TreeChoice> choose_trees(const topology::Topology& topology, const CompileRequest& request) {
  if (request.collective == Collective::kAllReduce) {
    if (const auto links = symmetric_links(topology)) return choose_link_trees(topology, request, *links);
  }
  return choose_routed_trees(topology, request);
}

// Whether there is room for improvement: the lower bound is less than `share` times `time`.
bool falls_short(const topology::Topology& topology, const CompileRequest& request, Femtoseconds time,
                 double share = kWorthSplitting) {
  std::vector<Bytes> shares;
  for (const Chunk& chunk : split_into_chunks(request.size, request.element, topology.num_accelerators()))
    shares.push_back(request.root < 0 ? chunk.bytes : 0);
  if (request.root >= 0) shares[static_cast<std::size_t>(request.root)] = request.size;
  const bool all_reduce = request.collective == Collective::kAllReduce;
  const double least = (all_reduce ? topology::least_all_reduce_time(topology, request.size)
                                   : topology::least_share_time(topology, request.collective, shares))
                           .ns() *
                       kFemtosecondsPerNanosecond;
  return least < share * static_cast<double>(time);
}

// Prime factors in ascending order.
std::vector<int> factors(int number) {
  std::vector<int> result;
  for (int factor = 2; number > 1; ++factor) {
    for (; number % factor == 0; number /= factor) result.push_back(factor);
  }
  return result;
}

// Compiles recursive exchanges: first among the accelerators of a switch, which exchange the most data, then
// between switches. No messages collide if switches have as much bandwidth between them as to their
// accelerators. Returns nullopt unless every accelerator has one link, and all switches that have
// accelerators have the same number of accelerators.
std::optional<Schedule> compile_exchanges(const topology::Topology& topology, const CompileRequest& request) {
  const int n = topology.num_accelerators();
  std::map<topology::NodeId, std::vector<topology::NodeId>> of_switch;
  for (topology::NodeId node = 0; node < n; ++node) {
    if (topology.out_channels(node).size() != 1) return std::nullopt;
    const topology::NodeId to = topology.channel(topology.out_channels(node).front()).dst;
    if (topology.is_accelerator(to)) return std::nullopt;
    of_switch[to].push_back(node);
  }
  const std::size_t members = of_switch.begin()->second.size();
  std::vector<topology::NodeId> ranks;
  for (std::size_t member = 0; member < members; ++member) {
    for (const auto& [to, accelerators] : of_switch) {
      if (accelerators.size() != members) return std::nullopt;
      ranks.push_back(accelerators[member]);
    }
  }
  std::vector<int> radices = factors(static_cast<int>(of_switch.size()));
  for (const int radix : factors(static_cast<int>(members))) radices.push_back(radix);
  require_memory_for_trees(PackedTreesCompiler::info().name, n, request);
  Schedule schedule =
      schedule_trees(topology, request, PackedTreesCompiler::info().name, exchange_trees(ranks, radices));
  schedule.chunks = 1;
  return schedule;
}

// Compiles tables with one tree per accelerator, which are close to the optimum if all channels are equally
// fast or the data is small.
std::optional<Schedule> compile_equal_trees(const topology::Topology& topology,
                                            const CompileRequest& request) {
  if (request.chunks != kAutomaticChunks || request.root >= 0) return std::nullopt;
  if (topology.num_accelerators() == 1) return std::nullopt;
  CompileRequest whole = request;
  whole.chunks = 1;
  const bool switches = topology.num_switches() > 0;
  try {
    if (topology.num_accelerators() > (switches ? kMostBehindSwitches : kMostForEqualTrees))
      return compile_exchanges(topology, whole);
    if (!switches) return MultiTreeOptimalCompiler().compile(topology, request);
    Schedule schedule = MultiTreeCompiler().compile(topology, whole);
    schedule.chunks = 1;
    return schedule;
  } catch (const UnsupportedError&) {
    return std::nullopt;
  }
}

// A lower bound on the time of tables with one tree per accelerator. Their phases run one after the other,
// and in each phase every accelerator sends or receives the shares of all others.
Femtoseconds least_of_equal_trees(const topology::Topology& topology, const CompileRequest& request) {
  if (topology.num_accelerators() == 1) return 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    std::int64_t rate = 0;
    for (const topology::ChannelId id : topology.out_channels(node))
      rate += topology.channel(id).bandwidth.bytes_per_second;
    least = std::min(least, rate);
  }
  const Bytes others = request.size - request.size / topology.num_accelerators();
  const int phases = request.collective == Collective::kAllReduce ? 2 : 1;
  return phases * transfer_time(others, {least});
}

PackedTables pack_in_pieces(const topology::Topology& topology, const CompileRequest& request,
                            Femtoseconds limit) {
  Candidates candidates(topology, request, limit);
  const auto circuits = split_off_switches(topology, request);
  if (circuits && !topology::find_unreachable(circuits->network)) {
    for (TreeChoice& choice : choose_trees(circuits->network, request)) {
      choice.trees = through_switches(*circuits, std::move(choice.trees));
      candidates.add(std::move(choice));
    }
  }
  const int n = topology.num_accelerators();
  const bool enough = request.collective == Collective::kAllReduce
                          ? !falls_short(topology, request, candidates.least(), kWorthOthers)
                          : routed_steps(n, owners_of(topology, request)) > kMostSteps;
  if (circuits && enough) return candidates.schedule_best();
  auto choices = circuits ? choose_routed_trees(topology, request) : choose_trees(topology, request);
  for (TreeChoice& choice : choices) candidates.add(std::move(choice));
  return candidates.schedule_best();
}

}  // namespace

AlgorithmInfo PackedTreesCompiler::info() {
  return {
      .name = kPackedTrees,
      .summary = "spanning trees that use all bandwidth; each piece is reduced and broadcast in a pipeline",
      .chunking = Chunking::kChosen,
      .rooted = true,
      .trials = {{.turn = 12,
                  .chunks = kAutomaticChunks,
                  .seconds = [](const topology::Topology& topology,
                                const CompileRequest&) { return seconds_at(topology, 4.5, 1.5); },
                  .first = true}}};
}

PackedTables pack_trees(const topology::Topology& topology, const CompileRequest& request,
                        Femtoseconds limit) {
  if (topology.num_accelerators() == 1) {
    return {build_schedule(topology, request, PackedTreesCompiler::info().name,
                           split_into_chunks(request.size, request.element, 1), {}),
            0};
  }
  PackedTables pieces = pack_in_pieces(topology, request, limit);
  // If all channels are equally fast, exact packing is unnecessary because some order of pieces avoids all
  // collisions.
  const auto rate = [](const topology::Channel& channel) { return channel.bandwidth.bytes_per_second; };
  const auto [slowest, fastest] = std::ranges::minmax_element(topology.channels(), {}, rate);
  if (request.chunks == kAutomaticChunks && topology.num_switches() > 0 && rate(*slowest) != rate(*fastest)) {
    // The scheduler's estimate neglects most contention.
    if (pieces.schedule) {
      pieces.expected = expected_time(topology, request, *pieces.schedule, limit,
                                      pieces.buffered ? Waiting::kInRouters : Waiting::kAtPorts);
    }
    Femtoseconds known = pieces.schedule ? std::min(limit, pieces.expected) : limit;
    if (pieces.schedule && pieces.contended) {
      const Femtoseconds within =
          expected_time(topology, request, *pieces.schedule, limit, Waiting::kInVirtualChannels);
      const double slower = kContention * static_cast<double>(pieces.expected);
      known = std::min(limit, std::max(within, static_cast<Femtoseconds>(slower)));
    }
    if (falls_short(topology, request, known)) {
      PackedTables exact = pack_exactly(topology, request, known);
      if (exact.schedule) pieces = std::move(exact);
    }
  }
  PackedTables steps =
      pack_in_steps(topology, request, PackedTreesCompiler::info().name, std::min(limit, pieces.expected));
  return steps.schedule ? std::move(steps) : std::move(pieces);
}

Schedule PackedTreesCompiler::compile(const topology::Topology& topology,
                                      const CompileRequest& request) const {
  // Tables with one tree per accelerator are tried first if they can come close to the lower bound, because
  // they are compiled quickly.
  PackedTables packed;
  const bool unlike =
      request.chunks == kAutomaticChunks && request.root < 0 &&
      falls_short(topology, request,
                  static_cast<Femtoseconds>(kUnlikeShare *
                                            static_cast<double>(least_of_equal_trees(topology, request))));
  if (unlike) {
    packed = pack_trees(topology, request);
    if (packed.expected <= least_of_equal_trees(topology, request)) return *std::move(packed.schedule);
  }
  std::optional<Schedule> equal = compile_equal_trees(topology, request);
  if (!equal && !unlike) packed = pack_trees(topology, request);
  if (!equal) return *std::move(packed.schedule);
  const Femtoseconds limit = expected_time(topology, request, *equal);
  if (!falls_short(topology, request, limit, kWorthOthers)) {
    equal->algorithm = info().name;
    return *std::move(equal);
  }
  if (!unlike) packed = pack_trees(topology, request, limit);
  if (packed.schedule &&
      (packed.buffered ? packed.expected : expected_time(topology, request, *packed.schedule, limit)) <=
          limit) {
    return *std::move(packed.schedule);
  }
  equal->algorithm = info().name;
  return *std::move(equal);
}

}  // namespace coppice::schedule
