#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Every algorithm, in the order of `coppice list`; those that only run all-to-alls come last.
const std::vector<AlgorithmInfo>& algorithms();

// nullptr if no algorithm has this name.
const AlgorithmInfo* find_algorithm(std::string_view name);

// The candidates of an algorithm that chooses among others; empty if it considers all, or does not choose.
std::vector<std::string> chosen_among(std::string_view algorithm);

// The compiler of an algorithm ("ring", "multitree"); nullptr if no algorithm has this name.
std::unique_ptr<Compiler> make_compiler(std::string_view algorithm);

// The names of the algorithms that satisfy a predicate: "multitree, multitree_optimal".
template <typename Predicate>
std::vector<std::string> algorithms_that(Predicate can) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) {
    if (can(info)) names.push_back(info.name);
  }
  return names;
}

// The time of an all-reduce by the cost model's equations for its algorithm, with the schedule's own chunks:
// eq. (2) for rings that share the data, twice eq. (3) for trees that do, eq. (6) for overlapped trees;
// nullopt for others.
std::optional<double> predicted_ns(const CostModel& model, const Schedule& schedule);

}  // namespace coppice::schedule
