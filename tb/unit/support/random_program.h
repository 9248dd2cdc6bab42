#pragma once

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace coppice {

// A random program of computations, messages and collectives for `ranks` ranks (at least two), with several
// collectives in flight at a time. below(n) returns a random number from 0 to n - 1.
class RandomProgram {
 public:
  RandomProgram(const std::function<int(int)>& below, int ranks, int count) : ranks_(ranks) {
    for (int g = 0; g < 3; ++g) groups.push_back(draw_members(below));
    groups.emplace_back(static_cast<std::size_t>(ranks));
    std::iota(groups.back().begin(), groups.back().end(), 0);
    for (int i = 0; i < count; ++i) add(i, below);
  }

  struct Operation {
    std::vector<int> ranks;
    std::vector<int> after;
    int compute_us = 0;  // if 0, the rank takes part in an exchange
    std::string text;
  };
  std::vector<std::vector<int>> groups;  // the last group consists of all ranks
  std::vector<Operation> operations;

  // The program file, in which operation i is named "oi".
  std::string text() const {
    std::string yaml = fmt::format("ranks: {}\ngroups:\n", ranks_);
    for (std::size_t g = 0; g < groups.size(); ++g)
      yaml += fmt::format("  g{}: [{}]\n", g, fmt::join(groups[g], ", "));
    yaml += "operations:\n";
    for (std::size_t i = 0; i < operations.size(); ++i) {
      std::vector<std::string> names;
      for (const int before : operations[i].after) names.push_back(fmt::format("o{}", before));
      yaml +=
          fmt::format("  - {{name: o{}, {}, after: [{}]}}\n", i, operations[i].text, fmt::join(names, ", "));
    }
    return yaml;
  }

 private:
  std::vector<int> draw_members(const std::function<int(int)>& below) const {
    std::vector<int> members;
    for (int rank = 0; rank < ranks_; ++rank) {
      if (below(2) == 0) members.push_back(rank);
    }
    if (members.empty()) members.push_back(below(ranks_));
    return members;
  }

  void add(int i, const std::function<int(int)>& below) {
    Operation operation;
    for (int before = 0; before < i; ++before) {
      if (below(4) == 0) operation.after.push_back(before);
    }
    const int kind = below(5);
    const int group = below(4);
    const std::vector<int>& members = groups[static_cast<std::size_t>(group)];
    if (kind == 0) {
      const int from = below(ranks_);
      const int to = (from + 1 + below(ranks_ - 1)) % ranks_;
      operation.ranks = {from, to};
      operation.text = fmt::format("send: {} B, from: {}, to: {}", 1 + below(20000), from, to);
    } else if (kind == 1) {
      operation.compute_us = 1 + below(9);
      operation.ranks = members;
      operation.text =
          fmt::format("rank: [{}], compute: {} us", fmt::join(members, ", "), operation.compute_us);
    } else {
      static const char* const kOps[] = {"all_reduce", "reduce_scatter", "all_gather",
                                         "all_to_all", "broadcast",      "reduce"};
      const int op = below(6);
      operation.ranks = members;
      operation.text =
          fmt::format("{}: {} B, group: g{}, priority: {}", kOps[op], 1 + below(20000), group, below(3));
      if (op >= 4) {
        const int root = below(static_cast<int>(members.size()));
        operation.text += fmt::format(", root: {}", members[static_cast<std::size_t>(root)]);
      }
    }
    operations.push_back(operation);
  }

  int ranks_;
};

}  // namespace coppice
