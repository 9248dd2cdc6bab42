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

// An algorithm with some chunks, and up to how many accelerators its tables are made in about a tenth of a
// second, without and behind switches.
struct Candidate {
  const char* algorithm;
  int chunks;
  int most_accelerators;
  int most_behind_switches = most_accelerators;
};

constexpr Candidate kCandidates[] = {
    {"multitree_optimal", kAutomaticChunks, 256, 32},
    {"multitree", 1, 64},
    {"ring", 1, 256},
    {"ring2d", 1, 256},
    {"halving_doubling", 1, 1024},
    {"hdrm", 1, 1024},
    {"direct", 1, 128},
    {"overlapped_double_tree", kAutomaticChunks, 256},
    {"hierarchical", 1, 1024},
    {"hierarchical", 4, 1024},
    {"hierarchical", 32, 1024},
    {"packed_trees", kAutomaticChunks, 256},  // the last, as it stops early where others are faster
};

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
                                 bool lockstep, std::span<const AlgorithmInfo> algorithms) {
  AutomaticChoice choice;
  Femtoseconds fastest = kNever;
  std::string refusal = "there is none that does it on " + topology.name();
  for (const Candidate& candidate : kCandidates) {
    const AlgorithmInfo& info = *std::ranges::find(algorithms, candidate.algorithm, &AlgorithmInfo::name);
    if (request.root >= 0 && !info.rooted) continue;
    if (!topology.in_network().empty() && !info.over_dimensions) continue;
    const int most =
        topology.num_switches() > 0 ? candidate.most_behind_switches : candidate.most_accelerators;
    if (topology.num_accelerators() > most) {
      refusal = fmt::format("of those that could, none is tried on {} accelerators: name an algorithm",
                            topology.num_accelerators());
      continue;
    }
    CompileRequest own = request;
    own.chunks = candidate.chunks;
    const bool packed = candidate.algorithm == PackedTreesCompiler::info().name;
    if (request.root >= 0 && !packed) own.chunks = kRootedPieces;
    try {
      PackedTables tables = compile_candidate(topology, own, info, fastest);
      if (tables.schedule && tables.schedule->ordered_by_lockstep && !lockstep) continue;
      choice.expected.push_back({candidate.algorithm, own.chunks, tables.expected});
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
