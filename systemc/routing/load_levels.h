#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/instance.h"

namespace coppice::routing {

// The loads of all links of ToRs, stored as sets of spines. An end stands for either the uplinks or the
// downlinks of a ToR. For every end and level k, a bit set contains the live spines whose link at that end
// carries at most k flows. The least loaded path between two ToRs is then the lowest spine in the
// intersection of the lowest levels that intersect. Finding it takes a few word operations instead of a loop
// over the spines.
class LoadLevels {
 public:
  explicit LoadLevels(const ClosLinks& links);

  int up_end(int tor) const { return tor; }
  int down_end(int tor) const { return tors_ + tor; }

  int load(int end, int spine) const { return loads_[slot(end, spine)]; }
  int live(int end) const { return live_[static_cast<std::size_t>(end)]; }

  void add(int end, int spine) {
    int& load = loads_[slot(end, spine)];
    if (static_cast<std::size_t>(load) + 1 == levels_.size()) add_level();
    word(load, end, spine / kBits) &= ~(std::uint64_t{1} << (spine % kBits));
    ++load;
  }
  void remove(int end, int spine) {
    int& load = loads_[slot(end, spine)];
    --load;
    word(load, end, spine / kBits) |= std::uint64_t{1} << (spine % kBits);
  }

  // The lowest spine whose links at ends `a` and `b` carry at most `most_a` and `most_b` flows; kNoSpine if
  // there is none.
  int common(int a, int most_a, int b, int most_b) const {
    if (most_a < 0 || most_b < 0) return kNoSpine;
    const std::uint64_t* at_a = level(most_a, a);
    const std::uint64_t* at_b = level(most_b, b);
    for (std::size_t w = 0; w < words_; ++w) {
      if (const std::uint64_t both = at_a[w] & at_b[w]; both != 0) {
        return static_cast<int>(w) * kBits + std::countr_zero(both);
      }
    }
    return kNoSpine;
  }

  // The spine whose busier link, of those at ends `a` and `b`, has the least load; of several such spines,
  // the one with the lowest number. kNoSpine if no spine is live at both ends.
  int least_loaded(int a, int b) const {
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const int spine = common(a, static_cast<int>(k), b, static_cast<int>(k));
      if (spine != kNoSpine) return spine;
    }
    return kNoSpine;
  }

 private:
  static constexpr int kBits = 64;

  std::size_t slot(int end, int spine) const {
    return static_cast<std::size_t>(end) * static_cast<std::size_t>(spines_) +
           static_cast<std::size_t>(spine);
  }
  const std::uint64_t* level(int k, int end) const {
    const std::size_t known = std::min(static_cast<std::size_t>(k), levels_.size() - 1);
    return &levels_[known][static_cast<std::size_t>(end) * words_];
  }
  std::uint64_t& word(int k, int end, int index) {
    return levels_[static_cast<std::size_t>(k)]
                  [static_cast<std::size_t>(end) * words_ + static_cast<std::size_t>(index)];
  }
  // Adds a level that contains all live spines, as the highest level always does.
  void add_level() { levels_.push_back(all_); }

  int tors_;
  int spines_;
  std::size_t words_;
  std::vector<std::uint64_t> all_;                  // [end][word]: the live spines
  std::vector<std::vector<std::uint64_t>> levels_;  // [k][end][word]: spines with at most k flows
  std::vector<int> loads_;                          // [end * spines + spine]: number of flows
  std::vector<int> live_;                           // [end]: number of live spines
};

}  // namespace coppice::routing
