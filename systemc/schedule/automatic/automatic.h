#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The expected time of an algorithm's tables, by expected_time().
struct ExpectedTime {
  std::string algorithm;
  int chunks = 1;  // CompileRequest::chunks; kAutomaticChunks: the algorithm's choice
  Femtoseconds time = 0;
  std::string protocol{};  // by which its messages go; empty: none is chosen
};

struct AutomaticChoice {
  Schedule schedule;                   // of the first below
  std::vector<ExpectedTime> expected;  // of all that apply, the fastest first
};

// Compiles what applies to the topology and the collective and keeps what should be fastest. On large systems
// only what compiles quickly there is tried, and nothing that only the lockstep orders, which is wrong where
// messages come late. Throws UnsupportedError if nothing applies. `algorithms` are all there are
// (schedule/registry.h).
AutomaticChoice choose_algorithm(const topology::Topology& topology, const CompileRequest& request,
                                 std::span<const AlgorithmInfo> algorithms);

// The same of an all-to-all (schedule/all_to_all/all_to_all.h), of the algorithms whose names `tried` takes.
// What sends more messages than tables are made of quickly is not tried, and of what cannot end first the
// time is said that it takes at least. Throws UnsupportedError if nothing is tried.
AutomaticChoice choose_all_to_all(
    const topology::Topology& topology, const CompileRequest& request,
    const std::function<bool(std::string_view)>& tried = [](std::string_view) { return true; });

}  // namespace coppice::schedule
