#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// All algorithms, in the order printed by `coppice list`: all-to-all-only algorithms are last.
const std::vector<AlgorithmInfo>& algorithms();

// The algorithm with this name; nullptr if there is none.
const AlgorithmInfo* find_algorithm(std::string_view name);

// The candidates of an algorithm that selects another; empty if it considers all, or is not a selector.
std::vector<std::string> chosen_among(std::string_view algorithm);

// The compiler of an algorithm such as "ring"; nullptr if no algorithm has this name.
std::unique_ptr<Compiler> make_compiler(std::string_view algorithm);

// The names of the algorithms that satisfy a predicate, such as "multitree, multitree_optimal".
template <typename Predicate>
std::vector<std::string> algorithms_that(Predicate can) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) {
    if (can(info)) names.push_back(info.name);
  }
  return names;
}

// The time of an all-reduce that the cost model predicts for the schedule's algorithm and chunks: eq. (2) for
// rings and twice eq. (3) for trees, each with its part of the data, and eq. (6) for overlapped trees;
// nullopt for other algorithms.
std::optional<double> predicted_ns(const CostModel& model, const Schedule& schedule);

}  // namespace coppice::schedule
