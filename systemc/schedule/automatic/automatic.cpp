#include "schedule/automatic/automatic.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/automatic/expected_time.h"

namespace coppice::schedule {
namespace {

// An algorithm with some chunks, and up to how many accelerators its tables are made in about a tenth of a
// second.
struct Candidate {
  const char* algorithm;
  int chunks;
  int most_accelerators;
};

constexpr Candidate kCandidates[] = {
    {"packed_trees", kAutomaticChunks, 256},
    {"multitree_optimal", 1, 100},
    {"multitree_optimal", 4, 64},
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
};

}  // namespace

AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 bool lockstep, std::span<const AlgorithmInfo> algorithms) {
  AutomaticChoice choice;
  std::string refusal = "there is none that does it on " + topology.name();
  for (const Candidate& candidate : kCandidates) {
    const AlgorithmInfo& info = *std::ranges::find(algorithms, candidate.algorithm, &AlgorithmInfo::name);
    if (request.root >= 0 && !info.rooted) continue;
    if (!topology.in_network().empty() && !info.over_dimensions) continue;
    if (topology.num_accelerators() > candidate.most_accelerators) continue;
    CompileRequest own = request;
    own.chunks = candidate.chunks;
    try {
      Schedule schedule = info.make()->compile(topology, own);
      if (schedule.ordered_by_lockstep && !lockstep) continue;
      const Femtoseconds time = expected_time(topology, own, schedule);
      const bool fastest =
          std::ranges::all_of(choice.expected, [&](const auto& other) { return time < other.time; });
      choice.expected.push_back({candidate.algorithm, candidate.chunks, time});
      if (fastest) choice.schedule = std::move(schedule);
    } catch (const UnsupportedError& error) {
      refusal = error.what();
    }
  }
  if (choice.expected.empty()) throw UnsupportedError("no algorithm applies: " + refusal);
  std::ranges::stable_sort(choice.expected, {}, &ExpectedTime::time);
  return choice;
}

}  // namespace coppice::schedule
