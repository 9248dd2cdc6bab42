#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// All algorithms, in the order printed by `coppice list`; algorithms that support only all-to-all come last.
const std::vector<AlgorithmInfo>& algorithms();

// The algorithm with this name; nullptr if there is none.
const AlgorithmInfo* find_algorithm(std::string_view name);

// The names of the algorithms among which a selecting algorithm such as "nccl" chooses; empty if it chooses
// among all algorithms or does not select.
std::vector<std::string> chosen_among(std::string_view algorithm);

// The compiler of an algorithm such as "ring"; nullptr if no algorithm has this name.
std::unique_ptr<Compiler> make_compiler(std::string_view algorithm);

// The names of the algorithms for which `can` returns true.
template <typename Predicate>
std::vector<std::string> algorithms_that(Predicate can) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) {
    if (can(info)) names.push_back(info.name);
  }
  return names;
}

// The time that the cost model predicts for an all-reduce with the schedule's algorithm and chunks; nullopt
// for algorithms without a formula. Rings use eq. (2), trees twice eq. (3) with each tree's part of the data,
// and overlapped trees eq. (6).
std::optional<double> predicted_ns(const CostModel& model, const Schedule& schedule);

}  // namespace coppice::schedule
