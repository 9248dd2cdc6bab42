#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The expected time of an algorithm's tables, as predicted by expected_time().
struct ExpectedTime {
  std::string algorithm;
  int chunks = 1;  // as in CompileRequest; if kAutomaticChunks, the algorithm chooses the number
  Femtoseconds time = 0;
  std::string protocol{};  // protocol of the messages; empty if the machine offers no choice
  // How chunks move through a hierarchy, if not as in CompileRequest::chunk_policy.
  std::optional<ChunkPolicy> chunk_policy = std::nullopt;
};

struct AutomaticChoice {
  Schedule schedule;                   // schedule of the first algorithm in `expected`
  std::vector<ExpectedTime> expected;  // all algorithms that apply, fastest first
};

// Compiles the algorithms that apply to the topology and the collective and chooses the one with the shortest
// expected time. First estimates how long each algorithm takes to compile (AutomaticTrial::seconds). On large
// systems, only algorithms that fit into an allowance are tried: one second on 64 accelerators and 50 seconds
// on 4,096. The estimates do not depend on the speed of the computer. An algorithm that relies on the
// lockstep for its order is never chosen, because its sums are wrong if messages are late. `algorithms` are
// all registered algorithms (schedule/registry.h). Throws UnsupportedError if none applies.
AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 std::span<const AlgorithmInfo> algorithms);

// Like choose_algorithm(), for an all-to-all (schedule/all_to_all/all_to_all.h) among the algorithms that
// `tried` accepts. Algorithms with too many messages are not tried. Algorithms that cannot be the fastest are
// listed with a lower bound on their time. Throws UnsupportedError if `tried` accepts none.
AutomaticChoice choose_all_to_all(
    const topology::Topology& topology, const CompileRequest& request,
    const std::function<bool(std::string_view)>& tried = [](std::string_view) { return true; });

}  // namespace coppice::schedule
