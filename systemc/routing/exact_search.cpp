#include "routing/exact_search.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace coppice::routing {
namespace {

// The flows from one ToR to another.
struct Group {
  int src_tor = 0;
  int dst_tor = 0;
  std::vector<std::size_t> flows;
  std::size_t left = 0;       // number of flows without a spine; they are the first of `flows`
  std::vector<bool> allowed;  // [spine]: whether the flows may use it
};

class Search {
 public:
  Search(const ClosLinks& links, std::span<const Flow> flows, int most, std::int64_t nodes)
      : spines_(links.spines()),
        nodes_(nodes),
        up_(static_cast<std::size_t>(links.tors()) * static_cast<std::size_t>(spines_), most),
        down_(up_),
        assignment_(flows.size(), kNoSpine) {
    std::map<std::pair<int, int>, Group> groups;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!flows[i].local()) groups[{flows[i].src_tor, flows[i].dst_tor}].flows.push_back(i);
    }
    for (auto& [ends, group] : groups) {
      group.src_tor = ends.first;
      group.dst_tor = ends.second;
      group.left = group.flows.size();
      for (int s = 0; s < spines_; ++s) {
        group.allowed.push_back(links.usable(group.src_tor, s, group.dst_tor));
      }
      groups_.push_back(std::move(group));
    }
  }

  SearchOutcome run() {
    if (descend()) return SearchOutcome::kFound;
    return nodes_ > 0 ? SearchOutcome::kImpossible : SearchOutcome::kGaveUp;
  }
  const Assignment& assignment() const { return assignment_; }

 private:
  int& up(const Group& group, int spine) { return up_[slot(group.src_tor, spine)]; }
  int& down(const Group& group, int spine) { return down_[slot(group.dst_tor, spine)]; }
  std::size_t slot(int tor, int spine) const {
    return static_cast<std::size_t>(tor) * static_cast<std::size_t>(spines_) +
           static_cast<std::size_t>(spine);
  }

  // The free capacity of the group's spines minus the number of the group's unassigned flows. If the result
  // is negative, the search must backtrack.
  int slack(const Group& group) {
    int room = 0;
    for (int s = 0; s < spines_; ++s) {
      if (group.allowed[static_cast<std::size_t>(s)]) room += std::min(up(group, s), down(group, s));
    }
    return room - static_cast<int>(group.left);
  }

  // The spine with the most free capacity for the group; -1 if no spine has free capacity.
  int roomiest(const Group& group) {
    int best = -1;
    int most = 0;
    for (int s = 0; s < spines_; ++s) {
      if (!group.allowed[static_cast<std::size_t>(s)]) continue;
      const int room = std::min(up(group, s), down(group, s));
      if (room <= most) continue;
      most = room;
      best = s;
    }
    return best;
  }

  bool descend() {
    if (--nodes_ <= 0) return false;
    Group* tightest = nullptr;
    int least = 0;
    for (Group& group : groups_) {
      if (group.left == 0) continue;
      const int room = slack(group);
      if (room < 0) return false;
      if (tightest != nullptr && room >= least) continue;
      tightest = &group;
      least = room;
    }
    if (tightest == nullptr) return true;
    Group& group = *tightest;
    const int spine = roomiest(group);
    if (spine < 0) return false;
    --up(group, spine);
    --down(group, spine);
    const std::size_t flow = group.flows[--group.left];
    assignment_[flow] = spine;
    if (descend()) return true;
    ++group.left;
    ++up(group, spine);
    ++down(group, spine);
    group.allowed[static_cast<std::size_t>(spine)] = false;
    const bool found = descend();
    if (!found) group.allowed[static_cast<std::size_t>(spine)] = true;
    return found;
  }

  int spines_;
  std::int64_t nodes_;
  std::vector<int> up_;  // [tor][spine]: remaining capacity
  std::vector<int> down_;
  Assignment assignment_;
  std::vector<Group> groups_;
};

}  // namespace

SearchOutcome search_assignment(const ClosLinks& links, std::span<const Flow> flows, int most,
                                std::int64_t nodes, Assignment& spines) {
  Search search(links, flows, most, nodes);
  const SearchOutcome outcome = search.run();
  if (outcome == SearchOutcome::kFound) spines = search.assignment();
  return outcome;
}

}  // namespace coppice::routing
