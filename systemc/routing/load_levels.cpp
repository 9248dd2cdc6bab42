#include "routing/load_levels.h"

namespace coppice::routing {

LoadLevels::LoadLevels(const ClosLinks& links)
    : tors_(links.tors()),
      spines_(links.spines()),
      words_((static_cast<std::size_t>(spines_) + kBits - 1) / kBits),
      all_(2 * static_cast<std::size_t>(tors_) * words_, 0),
      loads_(2 * static_cast<std::size_t>(tors_) * static_cast<std::size_t>(spines_), 0),
      live_(2 * static_cast<std::size_t>(tors_), 0) {
  const auto enable = [&](int end, int spine) {
    all_[static_cast<std::size_t>(end) * words_ + static_cast<std::size_t>(spine / kBits)] |=
        std::uint64_t{1} << (spine % kBits);
    ++live_[static_cast<std::size_t>(end)];
  };
  for (int tor = 0; tor < tors_; ++tor) {
    for (int spine = 0; spine < spines_; ++spine) {
      if (links.up(tor, spine)) enable(up_end(tor), spine);
      if (links.down(spine, tor)) enable(down_end(tor), spine);
    }
  }
  levels_.assign(2, all_);
}

}  // namespace coppice::routing
