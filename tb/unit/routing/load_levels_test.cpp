#include "routing/load_levels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

// The reference: stores the load of each link instead of a set of spines per load level.
struct Plain {
  const ClosLinks* links;
  std::vector<std::vector<int>> loads;  // [end][spine]

  bool live(int end, int spine) const {
    return end < links->tors() ? links->up(end, spine) : links->down(spine, end - links->tors());
  }
  int common(int a, int most_a, int b, int most_b) const {
    for (int s = 0; s < links->spines(); ++s) {
      if (live(a, s) && live(b, s) && at(a, s) <= most_a && at(b, s) <= most_b) return s;
    }
    return kNoSpine;
  }
  int least_loaded(int a, int b) const {
    int best = kNoSpine;
    for (int s = 0; s < links->spines(); ++s) {
      if (!live(a, s) || !live(b, s)) continue;
      if (best == kNoSpine || std::max(at(a, s), at(b, s)) < std::max(at(a, best), at(b, best))) best = s;
    }
    return best;
  }
  int at(int end, int spine) const {
    return loads[static_cast<std::size_t>(end)][static_cast<std::size_t>(spine)];
  }
};

RC_GTEST_PROP(LoadLevels, AreTheLoadsOfEveryLink, ()) {
  const auto below = [](int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
  const int tors = 1 + below(4);
  const int spines = *rc::gen::element(1, 3, 63, 64, 65, 130);
  ClosLinks links(tors, spines);
  for (int i = below(spines); i > 0; --i) links.set_link(below(tors), below(spines), false);
  LoadLevels levels(links);
  Plain plain{&links, std::vector<std::vector<int>>(static_cast<std::size_t>(2 * tors),
                                                    std::vector<int>(static_cast<std::size_t>(spines), 0))};
  for (int step = 0; step < 60; ++step) {
    const int end = below(2 * tors);
    const int spine =
        below(std::min(spines, 4)) * (spines - 1) / 3;  // prefers a few spines, so that their loads grow
    int& load =
        plain.loads[static_cast<std::size_t>(end)][static_cast<std::size_t>(std::min(spine, spines - 1))];
    const int chosen = std::min(spine, spines - 1);
    if (!plain.live(end, chosen)) continue;
    if (load > 0 && below(3) == 0) {
      levels.remove(end, chosen);
      --load;
    } else {
      levels.add(end, chosen);
      ++load;
    }
    RC_ASSERT(levels.load(end, chosen) == load);
    const int a = levels.up_end(below(tors));
    const int b = levels.down_end(below(tors));
    const int most_a = below(8) - 1;
    const int most_b = below(8) - 1;
    RC_ASSERT(levels.common(a, most_a, b, most_b) == plain.common(a, most_a, b, most_b));
    RC_ASSERT(levels.least_loaded(a, b) == plain.least_loaded(a, b));
  }
  for (int end = 0; end < 2 * tors; ++end) {
    int live = 0;
    for (int s = 0; s < spines; ++s) live += plain.live(end, s) ? 1 : 0;
    RC_ASSERT(levels.live(end) == live);
  }
}

}  // namespace
}  // namespace coppice::routing
