#include "routing/placement.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace coppice::routing {
namespace {

using topology::NodeId;

// The free hosts of every ToR.
class FreeHosts {
 public:
  FreeHosts(const ClusterShape& cluster, Placement placement, std::uint64_t seed)
      : cluster_(cluster),
        placement_(placement),
        random_(seed, 0x706c6163),
        free_(static_cast<std::size_t>(cluster.tors)) {
    const int hosts = cluster.per_tor / cluster.host;
    for (int tor = 0; tor < cluster.tors; ++tor) {
      auto& of_tor = free_[static_cast<std::size_t>(tor)];
      for (int host = 0; host < hosts; ++host) of_tor.push_back(tor * hosts + host);
      count_ += of_tor.size();
    }
  }

  std::size_t count() const { return count_; }

  std::vector<NodeId> take_copy(int accelerators) {
    std::vector<NodeId> copy;
    while (static_cast<int>(copy.size()) < accelerators) {
      const int missing = accelerators - static_cast<int>(copy.size());
      const int hosts =
          placement_ == Placement::kRandomHosts ? 1 : (missing + cluster_.host - 1) / cluster_.host;
      for (const int host : take(choose(hosts), hosts)) {
        for (int i = 0; i < cluster_.host && static_cast<int>(copy.size()) < accelerators; ++i) {
          copy.push_back(host * cluster_.host + i);
        }
      }
    }
    return copy;
  }

 private:
  // The ToR from which to take the next hosts if `hosts` more are needed.
  std::size_t choose(int hosts) {
    switch (placement_) {
      case Placement::kRandomHosts: {
        std::uint64_t nth = random_.below(count_);
        std::size_t tor = 0;
        while (nth >= free_[tor].size()) nth -= free_[tor++].size();
        // Moves the chosen host to the front, because take() removes the first host.
        std::swap(free_[tor][0], free_[tor][nth]);
        return tor;
      }
      case Placement::kRandomTors: {
        std::vector<std::size_t> open;
        for (std::size_t tor = 0; tor < free_.size(); ++tor) {
          if (!free_[tor].empty()) open.push_back(tor);
        }
        return open[random_.below(open.size())];
      }
      case Placement::kBestFit:
        break;
    }
    const auto needed = static_cast<std::size_t>(hosts);
    std::size_t best = 0;
    for (std::size_t tor = 1; tor < free_.size(); ++tor) {
      const std::size_t here = free_[tor].size();
      const std::size_t there = free_[best].size();
      const bool fits = here >= needed;
      const bool better = there >= needed ? fits && here < there : here > there;
      if (better) best = tor;
    }
    return best;
  }

  std::vector<int> take(std::size_t tor, int hosts) {
    auto& of_tor = free_[tor];
    const auto taken = std::min(of_tor.size(), static_cast<std::size_t>(hosts));
    const auto end = of_tor.begin() + static_cast<std::ptrdiff_t>(taken);
    std::vector<int> result(of_tor.begin(), end);
    of_tor.erase(of_tor.begin(), end);
    count_ -= taken;
    return result;
  }

  ClusterShape cluster_;
  Placement placement_;
  Random random_;
  std::vector<std::vector<int>> free_;  // [tor]: host numbers
  std::size_t count_ = 0;
};

}  // namespace

const char* to_string(Placement placement) {
  switch (placement) {
    case Placement::kRandomHosts:
      return "random_hosts";
    case Placement::kRandomTors:
      return "random_tors";
    case Placement::kBestFit:
      return "best_fit";
  }
  return "?";
}

std::vector<std::vector<std::vector<NodeId>>> place_jobs(const ClusterShape& cluster,
                                                         const std::vector<JobShape>& jobs,
                                                         Placement placement, std::uint64_t seed) {
  FreeHosts free(cluster, placement, seed);
  std::vector<std::vector<std::vector<NodeId>>> places(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const int hosts = (jobs[j].copy + cluster.host - 1) / cluster.host * jobs[j].replicas;
    if (static_cast<std::size_t>(hosts) > free.count()) continue;
    for (int r = 0; r < jobs[j].replicas; ++r) places[j].push_back(free.take_copy(jobs[j].copy));
  }
  return places;
}

}  // namespace coppice::routing
