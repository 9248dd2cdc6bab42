#include "schedule/automatic/automatic.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/all_to_all/all_to_all.h"
#include "schedule/automatic/symmetric_time.h"
#include "schedule/compile/spread.h"
#include "schedule/compile/symmetric_builder.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/message_timing.h"
#include "schedule/packed_trees/packed_trees.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

// An algorithm with one of its trials.
struct Candidate {
  const AlgorithmInfo* info;
  AutomaticTrial trial;
};

std::vector<Candidate> candidates(std::span<const AlgorithmInfo> algorithms) {
  std::vector<Candidate> all;
  for (const AlgorithmInfo& info : algorithms) {
    for (const AutomaticTrial& trial : info.trials) all.push_back({&info, trial});
  }
  std::ranges::sort(all, {}, [](const Candidate& candidate) { return candidate.trial.turn; });
  return all;
}

// The pieces of rooted trees, whose own choice takes seconds.
constexpr int kRootedPieces = 4;

// Tables that take this many times as long as others are not executed to their end.
constexpr Femtoseconds kHopeless = 3;

// Tables, none if they would be slower than `fastest`, and their time.
PackedTables compile_candidate(const topology::Topology& topology, const CompileRequest& request,
                               const AlgorithmInfo& info, Femtoseconds fastest) {
  if (info.name == PackedTreesCompiler::info().name) return pack_trees(topology, request, fastest);
  Schedule schedule = compile_spread(info, topology, request);
  if (const auto time = symmetric_time(topology, request, schedule)) return {std::move(schedule), *time};
  const Femtoseconds limit = fastest < kNever / kHopeless ? kHopeless * fastest : kNever;
  const Femtoseconds time = expected_time(topology, request, schedule, limit);
  return {std::move(schedule), time};
}

// Whether the origin's tables, if there are any such, are made and executed for all.
bool looks_alike(const topology::Topology& topology, const CompileRequest& request) {
  if (!topology::info_of(topology.kind()).wraps) return false;
  const topology::Channel& first = topology.channels().front();
  return pattern_pays(request, topology.num_accelerators(), 1) &&
         std::ranges::all_of(topology.channels(), [&](const topology::Channel& channel) {
           return channel.bandwidth == first.bandwidth && channel.latency == first.latency;
         });
}

int most_accelerators(const topology::Topology& topology, const CompileRequest& request,
                      const AutomaticTrial& trial) {
  if (topology.num_switches() > 0) return trial.most_behind_switches;
  return looks_alike(topology, request) ? trial.most_alike : trial.most_accelerators;
}

}  // namespace

AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 std::span<const AlgorithmInfo> algorithms) {
  AutomaticChoice choice;
  Femtoseconds fastest = kNever;
  std::string refusal = "no algorithm can do it on " + topology.name();
  for (const auto& [tried, trial] : candidates(algorithms)) {
    const AlgorithmInfo& info = *tried;
    if (request.root >= 0 && !info.rooted) continue;
    if (!topology.in_network().empty() && !info.over_dimensions) continue;
    if (topology.num_accelerators() > most_accelerators(topology, request, trial)) {
      refusal = fmt::format("no applicable algorithm is tried on {} accelerators: name one",
                            topology.num_accelerators());
      continue;
    }
    CompileRequest own = request;
    own.chunks = trial.chunks;
    const bool quick = trial.most_accelerators == std::numeric_limits<int>::max();
    const bool packed = info.name == PackedTreesCompiler::info().name;
    if (request.root >= 0 && !packed && !quick) own.chunks = kRootedPieces;
    try {
      PackedTables tables = compile_candidate(topology, own, info, fastest);
      if (tables.schedule && tables.schedule->ordered_by_lockstep) continue;
      choice.expected.push_back({info.name, own.chunks, tables.expected});
      if (!tables.schedule || tables.expected >= fastest) continue;
      fastest = tables.expected;
      choice.schedule = *std::move(tables.schedule);
    } catch (const UnsupportedError& error) {
      refusal = error.what();
    }
  }
  if (choice.expected.empty()) throw UnsupportedError("no algorithm applies: " + refusal);
  std::ranges::stable_sort(choice.expected, {}, &ExpectedTime::time);
  return choice;
}

namespace {

// Messages of an all-to-all, more of which are tabled when they are asked for by name.
constexpr double kMostMessages = 1e6;

// So many messages of blocks, all channels from accelerators busy with them all the time.
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

// How much longer messages that meet take than one after the other.
constexpr double kMeeting = 1.1;

// A message that meets others waits at its port for up to one buffer's worth of time. Returns a lower bound
// if it is not less than `fastest`.
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
      continue;  // there are others
    }
  }
  std::ranges::stable_sort(choice.expected, {}, &ExpectedTime::time);
  return choice;
}

}  // namespace coppice::schedule
