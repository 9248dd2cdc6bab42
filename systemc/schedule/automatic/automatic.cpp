#include "schedule/automatic/automatic.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "schedule/all_to_all/all_to_all.h"
#include "schedule/automatic/symmetric_time.h"
#include "schedule/compile/spread.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/message_timing.h"
#include "schedule/packed_trees/packed_trees.h"

namespace coppice::schedule {
namespace {

constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

// The allowance for trying algorithms, in CPU seconds: kSecondsPerAccelerator for every accelerator, but at
// least kLeastSeconds.
constexpr double kSecondsPerAccelerator = 0.012;
constexpr double kLeastSeconds = 1;

// An algorithm, and one of its trials.
struct Candidate {
  const AlgorithmInfo* info = nullptr;
  AutomaticTrial trial;
  double seconds = 0;
  std::optional<ChunkPolicy> chunk_policy = std::nullopt;  // replaces that of the request
};

bool may_apply(const topology::Topology& topology, const CompileRequest& request, const AlgorithmInfo& info) {
  if (request.root >= 0 && !info.rooted) return false;
  return topology.in_network().empty() || info.over_dimensions;
}

// The request's policy as changed by a trial. Returns nullopt if the trial would not differ from others.
std::optional<ChunkPolicy> changed_policy(const topology::Topology& topology, const CompileRequest& request,
                                          const AutomaticTrial& trial) {
  ChunkPolicy policy = request.chunk_policy;
  if (trial.scheduler != ChunkScheduler::kBaseline) {
    const bool orders = topology.dimension_kinds().size() > 1;
    if (!orders || policy.scheduler != ChunkScheduler::kBaseline) return std::nullopt;
    policy.scheduler = trial.scheduler;
  }
  if (trial.direct_in_switches) {
    if (!policy.methods.empty()) return std::nullopt;
    policy.methods = direct_in_switches(topology);
    if (policy.methods.empty()) return std::nullopt;
  }
  return policy;
}

// The candidates that may apply, in the order in which compile time is allotted to them: first the candidates
// marked `first`, then all others. Within each group, those that compile fastest come first.
std::vector<Candidate> candidates(const topology::Topology& topology, const CompileRequest& request,
                                  std::span<const AlgorithmInfo> algorithms) {
  std::vector<Candidate> all;
  for (const AlgorithmInfo& info : algorithms) {
    if (!may_apply(topology, request, info)) continue;
    for (const AutomaticTrial& trial : info.trials) {
      std::optional<ChunkPolicy> policy = changed_policy(topology, request, trial);
      if (!policy) continue;
      if (*policy == request.chunk_policy) policy.reset();
      CompileRequest own = request;
      own.chunks = trial.chunks;
      const double seconds = trial.seconds == nullptr ? 0 : trial.seconds(topology, own);
      all.push_back({&info, trial, seconds, std::move(policy)});
    }
  }
  std::ranges::stable_sort(all, {}, [](const Candidate& candidate) {
    return std::pair(!candidate.trial.first, candidate.seconds);
  });
  return all;
}

// Removes the candidates that fit into the allowance from `all` and returns them in the order in which to try
// them. The remaining candidates stay in `all`, those that compile fastest first.
std::vector<Candidate> take_affordable(const topology::Topology& topology, std::vector<Candidate>& all) {
  double left = std::max(kLeastSeconds, kSecondsPerAccelerator * topology.num_accelerators());
  std::vector<Candidate> taken;
  std::vector<Candidate> rest;
  for (const Candidate& candidate : all) {
    const bool fits = candidate.seconds <= left;
    if (fits) left -= candidate.seconds;
    (fits ? taken : rest).push_back(candidate);
  }
  std::ranges::stable_sort(taken, {}, [](const Candidate& candidate) { return candidate.trial.turn; });
  std::ranges::stable_sort(rest, {}, &Candidate::seconds);
  all = std::move(rest);
  return taken;
}

// The number of pieces for rooted trees. It is fixed because choosing it automatically takes seconds.
constexpr int kRootedPieces = 4;

// The simulated execution of tables stops once it takes longer than this multiple of the best time.
constexpr Femtoseconds kHopeless = 3;

// Compiles an algorithm's tables and predicts their time. May return no tables if they would be slower than
// `fastest`.
PackedTables compile_candidate(const topology::Topology& topology, const CompileRequest& request,
                               const AlgorithmInfo& info, Femtoseconds fastest) {
  if (info.name == PackedTreesCompiler::info().name) return pack_trees(topology, request, fastest);
  Schedule schedule = compile_spread(info, topology, request);
  if (const auto time = symmetric_time(topology, request, schedule)) return {std::move(schedule), *time};
  const Femtoseconds limit = fastest < kNever / kHopeless ? kHopeless * fastest : kNever;
  const Femtoseconds time = expected_time(topology, request, schedule, limit);
  return {std::move(schedule), time};
}

// Compiles candidates one after the other and keeps the fastest.
class Choosing {
 public:
  Choosing(const topology::Topology& topology, const CompileRequest& request)
      : topology_(topology),
        request_(request),
        refusal_("none supports this collective on " + topology.name()) {}

  bool found() const { return !choice_.expected.empty(); }

  void attempt(const Candidate& candidate) {
    const AlgorithmInfo& info = *candidate.info;
    CompileRequest own = request_;
    own.chunks = candidate.trial.chunks;
    if (candidate.chunk_policy) own.chunk_policy = *candidate.chunk_policy;
    const bool packed = info.name == PackedTreesCompiler::info().name;
    if (request_.root >= 0 && !packed && candidate.trial.seconds != nullptr) own.chunks = kRootedPieces;
    try {
      PackedTables tables = compile_candidate(topology_, own, info, fastest_);
      if (tables.schedule && tables.schedule->ordered_by_lockstep) return;
      choice_.expected.push_back({.algorithm = info.name,
                                  .chunks = own.chunks,
                                  .time = tables.expected,
                                  .chunk_policy = candidate.chunk_policy});
      if (!tables.schedule || tables.expected >= fastest_) return;
      fastest_ = tables.expected;
      choice_.schedule = *std::move(tables.schedule);
    } catch (const UnsupportedError& error) {
      refusal_ = error.what();
    }
  }

  // Returns the fastest schedule; throws UnsupportedError if no candidate applied.
  AutomaticChoice best() && {
    if (!found()) throw UnsupportedError("no algorithm applies: " + refusal_);
    std::ranges::stable_sort(choice_.expected, {}, &ExpectedTime::time);
    return std::move(choice_);
  }

 private:
  const topology::Topology& topology_;
  const CompileRequest& request_;
  std::string refusal_;
  Femtoseconds fastest_ = kNever;
  AutomaticChoice choice_;
};

}  // namespace

AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 std::span<const AlgorithmInfo> algorithms) {
  Choosing choosing(topology, request);
  std::vector<Candidate> rest = candidates(topology, request, algorithms);
  for (const Candidate& candidate : take_affordable(topology, rest)) choosing.attempt(candidate);
  // If none of these candidates applies, tries the remaining candidates, whatever their compile time, until
  // one applies.
  for (const Candidate& candidate : rest) {
    if (choosing.found()) break;
    choosing.attempt(candidate);
  }
  return std::move(choosing).best();
}

namespace {

// The maximum number of messages for which `auto` builds the tables of an all-to-all algorithm. There is no
// such limit for an algorithm that the configuration names.
constexpr double kMostMessages = 1e6;

// The time that `messages` messages of one block each would take if they kept every channel that leaves an
// accelerator busy without a pause.
Femtoseconds least_of_blocks(const topology::Topology& topology, const CompileRequest& request,
                             double messages) {
  const MessageTiming timing(topology, request);
  const Bytes block = request.size / topology.num_accelerators() / topology.num_accelerators();
  Femtoseconds busy = kNever;
  double channels = 0;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    for (const topology::ChannelId id : topology.out_channels(node)) {
      busy = std::min(busy, timing.busy(id, block));
      ++channels;
    }
  }
  return channels > 0 ? static_cast<Femtoseconds>(messages / channels * static_cast<double>(busy)) : 0;
}

// The empirical factor by which an exchange takes longer if messages collide.
constexpr double kMeeting = 1.1;

// The time of an exchange. If messages collide, it is interpolated between the time if messages wait in
// routers and the time if they wait at ports, in proportion to the size of a block relative to a router's
// buffer: larger blocks wait more at ports. Returns a lower bound if the time is not less than `fastest`.
Femtoseconds time_of_blocks(const topology::Topology& topology, const CompileRequest& request,
                            const Schedule& schedule, Femtoseconds fastest) {
  const Femtoseconds limit = fastest < kNever / kHopeless ? kHopeless * fastest : kNever;
  const Femtoseconds in_routers = expected_time(topology, request, schedule, limit, Waiting::kInRouters);
  if (in_routers >= fastest) return in_routers;
  const Femtoseconds at_ports = expected_time(topology, request, schedule, kNever, Waiting::kAtPorts);
  if (at_ports == in_routers) return in_routers;
  const Bytes block = request.size / topology.num_accelerators() / topology.num_accelerators();
  const auto buffer = static_cast<double>(request.timing.buffer * request.timing.flit);
  const double part = std::min(static_cast<double>(block) / std::max(buffer, 1.0), 1.0);
  const auto longer = static_cast<double>(at_ports - in_routers);
  return static_cast<Femtoseconds>(kMeeting * (static_cast<double>(in_routers) + part * longer));
}

}  // namespace

AutomaticChoice choose_all_to_all(const topology::Topology& topology, const CompileRequest& request,
                                  const std::function<bool(std::string_view)>& tried) {
  struct Trial {
    const AllToAllAlgorithm* algorithm;
    double messages;
  };
  std::vector<Trial> trials;
  for (const AllToAllAlgorithm& algorithm : all_to_all_algorithms()) {
    if (!tried(algorithm.name)) continue;
    const double messages = algorithm.messages(topology);
    if (trials.empty() || messages <= kMostMessages) trials.push_back({&algorithm, messages});
  }
  AutomaticChoice choice;
  if (trials.empty()) throw UnsupportedError("no all-to-all algorithm applies");
  if (trials.size() == 1) {
    choice.schedule = compile_all_to_all(topology, request, *trials.front().algorithm);
    return choice;
  }
  std::ranges::stable_sort(trials, {}, &Trial::messages);
  Femtoseconds fastest = kNever;
  for (const auto& [algorithm, messages] : trials) {
    const Femtoseconds least = least_of_blocks(topology, request, messages);
    if (least >= fastest) {
      choice.expected.push_back({algorithm->name, 1, least});
      continue;
    }
    try {
      Schedule schedule = compile_all_to_all(topology, request, *algorithm);
      const Femtoseconds time = time_of_blocks(topology, request, schedule, fastest);
      choice.expected.push_back({algorithm->name, 1, time});
      if (time >= fastest) continue;
      fastest = time;
      choice.schedule = std::move(schedule);
    } catch (const UnsupportedError&) {
      continue;  // other algorithms may still apply
    }
  }
  std::ranges::stable_sort(choice.expected, {}, &ExpectedTime::time);
  return choice;
}

}  // namespace coppice::schedule
