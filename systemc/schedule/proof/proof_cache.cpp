#include "schedule/proof/proof_cache.h"

#include <algorithm>
#include <utility>

namespace coppice::schedule {
namespace {

// The maximum number of groups kept for comparison. A schedule has either few kinds of chunks or so many that
// comparing groups is futile.
constexpr std::size_t kMostKnown = 64;

}  // namespace

ProvenGroups::ProvenGroups(const Schedule& schedule)
    : schedule_(schedule), place_(static_cast<std::size_t>(schedule.flows), -1) {}

std::optional<std::vector<int>> ProvenGroups::find(const MessageGroup& group, std::span<const Share> shares) {
  for (std::size_t i = 0; i < group.flows.size(); ++i) {
    place_[static_cast<std::size_t>(group.flows[i])] = static_cast<std::int32_t>(i);
  }
  // Under a lockstep, a proof may rely on the order of timesteps, which the comparison ignores.
  if (schedule_.ordered_by_lockstep) return std::nullopt;
  for (const Known& known : known_) {
    if (stands_for(known, group, shares)) return known.additions;
  }
  return std::nullopt;
}

void ProvenGroups::add(const MessageGroup& group, GroupLayout layout, std::vector<int> additions) {
  if (known_.size() < kMostKnown) known_.push_back({group, std::move(layout), std::move(additions)});
}

bool ProvenGroups::stands_for(const Known& known, const MessageGroup& group, std::span<const Share> shares) {
  const std::size_t count = group.messages.size();
  if (known.group.messages.size() != count || known.group.flows.size() != group.flows.size()) return false;
  cuts_.assign(known.layout.cuts.size(), -1);
  const auto cut_at = [this](std::int32_t cut, Bytes address) {
    Bytes& here = cuts_[static_cast<std::size_t>(cut)];
    if (here < 0) here = address;
    return here == address;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Message& a = *known.group.messages[i];
    const Message& b = *group.messages[i];
    if (a.src != b.src || a.dst != b.dst || a.arrival != b.arrival) return false;
    if (i > 0 &&
        (a.round != known.group.messages[i - 1]->round) != (b.round != group.messages[i - 1]->round)) {
      return false;
    }
    const TableEntry& x = *a.entry;
    const TableEntry& y = *b.entry;
    const auto place = [this](const TableEntry& entry) {
      return place_[static_cast<std::size_t>(entry.flow)];
    };
    if (x.op != y.op || x.dependencies != y.dependencies || x.parent != y.parent || place(x) != place(y) ||
        x.children != y.children) {
      return false;
    }
    const IntervalRange covered = known.layout.covered[i];
    if (!cut_at(covered.first, y.address) || !cut_at(covered.end, y.address + y.bytes)) return false;
  }
  return std::ranges::adjacent_find(cuts_, std::greater_equal()) == cuts_.end() &&
         cuts_.front() == group.begin && cuts_.back() == group.end && same_owners(known, shares);
}

bool ProvenGroups::same_owners(const Known& known, std::span<const Share> shares) const {
  for (std::size_t i = 0; i < known.layout.owners.size(); ++i) {
    const auto after =
        std::ranges::upper_bound(shares, cuts_[i], {}, [](const Share& share) { return share.data.address; });
    const Share& share = *(after - 1);
    const bool inside = cuts_[i + 1] <= share.data.address + share.data.bytes;
    if (share.owner != known.layout.owners[i] || !inside) return false;
  }
  return true;
}

}  // namespace coppice::schedule
