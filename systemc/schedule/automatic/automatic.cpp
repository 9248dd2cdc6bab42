#include "schedule/automatic/automatic.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/automatic/expected_time.h"
#include "schedule/registry.h"

namespace coppice::schedule {
namespace {

// An algorithm with some chunks, and up to how many accelerators its tables are made in about a tenth of a
// second.
struct Candidate {
  const char* algorithm;
  int chunks;
  int most_accelerators;
  bool rooted = false;
  bool adds_in_network = false;
};

constexpr Candidate kCandidates[] = {
    {"packed_trees", kAutomaticChunks, 256, true},
    {"multitree_optimal", 1, 100, true},
    {"multitree_optimal", 4, 64, true},
    {"multitree", 1, 64, true},
    {"ring", 1, 256},
    {"ring2d", 1, 256},
    {"halving_doubling", 1, 1024},
    {"hdrm", 1, 1024},
    {"direct", 1, 128},
    {"overlapped_double_tree", kAutomaticChunks, 256},
    {"hierarchical", 1, 1024, false, true},
    {"hierarchical", 4, 1024, false, true},
    {"hierarchical", 32, 1024, false, true},
};

}  // namespace

AlgorithmInfo AutomaticCompiler::info() {
  return {.name = "auto",
          .summary = "what should be fastest here by its tables' expected time",
          .chunking = Chunking::kChosen,
          .rooted = true,
          .chooses_algorithm = true};
}

AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 bool lockstep) {
  AutomaticChoice choice;
  std::string refusal = "there is none that does it on " + topology.name();
  for (const Candidate& candidate : kCandidates) {
    if (request.root >= 0 && !candidate.rooted) continue;
    if (!topology.in_network().empty() && !candidate.adds_in_network) continue;
    if (topology.num_accelerators() > candidate.most_accelerators) continue;
    CompileRequest own = request;
    own.chunks = candidate.chunks;
    try {
      Schedule schedule = make_compiler(candidate.algorithm)->compile(topology, own);
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
