#pragma once

#include <functional>
#include <string>

#include <fmt/format.h>

namespace coppice {

// A program file of `ranks` ranks, two at least: computations, messages and collectives of random groups,
// several in flight at once. below(n): a random number from 0 to n - 1.
inline std::string random_program(const std::function<int(int)>& below, int ranks) {
  std::string text = fmt::format("ranks: {}\ngroups:\n", ranks);
  for (int group = 0; group < 3; ++group) {
    std::string members;
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank < 2 || below(2) == 0) members += fmt::format("{}{}", members.empty() ? "" : ", ", rank);
    }
    text += fmt::format("  g{}: [{}]\n", group, members);
  }
  text += "operations:\n";
  const int operations = 2 + below(6);
  for (int i = 0; i < operations; ++i) {
    text += fmt::format("  - {{name: o{}, ", i);
    const int kind = below(4);
    if (kind == 0) {
      text += fmt::format("compute: {} ns, rank: {}", 100 + below(5000), below(ranks));
    } else if (kind == 1) {
      const int from = below(ranks);
      const int bytes = 1 + below(20000);
      text += fmt::format("send: {} B, from: {}, to: {}", bytes, from, (from + 1 + below(ranks - 1)) % ranks);
    } else {
      static const char* const kOps[] = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all"};
      const char* const op = kOps[below(4)];
      const int bytes = 4 + below(20000);
      text +=
          fmt::format("{}: {} B, group: {}", op, bytes, below(2) == 0 ? "all" : fmt::format("g{}", below(3)));
    }
    if (i > 0 && below(2) == 0) text += fmt::format(", after: [o{}]", below(i));
    text += "}\n";
  }
  return text;
}

}  // namespace coppice
