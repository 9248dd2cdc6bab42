#include "schedule/automatic/automatic.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/packed_trees.h"

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

// Tables that take so many times as long as others are not run to their end.
constexpr Femtoseconds kHopeless = 3;

// Tables, none if they would be slower than `fastest`, and their time.
PackedTables compile_candidate(const topology::Topology& topology, const CompileRequest& request,
                               const AlgorithmInfo& info, Femtoseconds fastest) {
  if (info.name == PackedTreesCompiler::info().name) return pack_trees(topology, request, fastest);
  Schedule schedule = info.make()->compile(topology, request);
  const Femtoseconds limit = fastest < kNever / kHopeless ? kHopeless * fastest : kNever;
  const Femtoseconds time = expected_time(topology, request, schedule, limit);
  return {std::move(schedule), time};
}

}  // namespace

AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 std::span<const AlgorithmInfo> algorithms) {
  AutomaticChoice choice;
  Femtoseconds fastest = kNever;
  std::string refusal = "there is none that does it on " + topology.name();
  for (const auto& [tried, trial] : candidates(algorithms)) {
    const AlgorithmInfo& info = *tried;
    if (request.root >= 0 && !info.rooted) continue;
    if (!topology.in_network().empty() && !info.over_dimensions) continue;
    const int most = topology.num_switches() > 0 ? trial.most_behind_switches : trial.most_accelerators;
    if (topology.num_accelerators() > most) {
      refusal = fmt::format("of those that could, none is tried on {} accelerators: name an algorithm",
                            topology.num_accelerators());
      continue;
    }
    CompileRequest own = request;
    own.chunks = trial.chunks;
    const bool packed = info.name == PackedTreesCompiler::info().name;
    if (request.root >= 0 && !packed) own.chunks = kRootedPieces;
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

}  // namespace coppice::schedule
