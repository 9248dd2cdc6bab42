#include "routing/optimal.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "routing/exact_search.h"
#include "routing/greedy.h"
#include "routing/spine_balancer.h"

namespace coppice::routing {
namespace {

std::vector<std::size_t> between_tors(std::span<const Flow> flows) {
  std::vector<std::size_t> order;
  order.reserve(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!flows[i].local()) order.push_back(i);
  }
  return order;
}

bool place_all(SpineBalancer& balancer, std::span<const std::size_t> order) {
  return std::ranges::all_of(order, [&](std::size_t flow) { return balancer.place(flow); });
}

// The maximum load of the greedy assignment, an upper bound on the optimum.
int greedy_load(const ClosLinks& links, std::span<const Flow> flows) {
  return max_load(links, flows, Greedy().assign(links, flows));
}

struct UnequalAssignment {
  Assignment spines;
  int least = 0;  // lower bound on the maximum load of any assignment
};

UnequalAssignment assign_unequal(const ClosLinks& links, std::span<const Flow> flows, std::uint64_t seed) {
  constexpr int kOrders = 8;
  constexpr std::size_t kSearchedFlows = 256;
  constexpr std::int64_t kNodes = 20'000;
  std::vector<std::size_t> order = between_tors(flows);
  Random random(seed, 0x6f707469);
  const int most = greedy_load(links, flows);
  int least = lower_bound(links, flows);
  for (int load = least; load < most; ++load) {
    for (int i = 0; i < kOrders; ++i) {
      SpineBalancer balancer(links, flows);
      balancer.cap_all(load);
      if (place_all(balancer, order)) return {balancer.spines(), least};
      for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    }
    if (order.size() > kSearchedFlows) continue;
    Assignment spines;
    const SearchOutcome outcome = search_assignment(links, flows, load, kNodes, spines);
    if (outcome == SearchOutcome::kFound) return {spines, least};
    if (outcome == SearchOutcome::kImpossible && least == load) least = load + 1;
  }
  return {Greedy().assign(links, flows), least};
}

// Puts flows back on their previous spines where these can still be used; returns the remaining flows.
std::vector<std::size_t> restore(SpineBalancer& balancer, const ClosLinks& links, std::span<const Flow> flows,
                                 std::span<const int> previous) {
  std::vector<std::size_t> homeless;
  for (const std::size_t i : between_tors(flows)) {
    if (previous[i] != kNoSpine && links.usable(flows[i].src_tor, previous[i], flows[i].dst_tor)) {
      balancer.put(i, previous[i]);
    } else {
      homeless.push_back(i);
    }
  }
  return homeless;
}

// Reassigns flows within the caps that `cap` sets; returns nullopt if these caps are too low.
template <typename Cap>
std::optional<Reassignment> try_reassign(const ClosLinks& links, std::span<const Flow> flows,
                                         std::span<const int> previous, Cap cap) {
  SpineBalancer balancer(links, flows);
  cap(balancer);
  std::vector<std::size_t> homeless = restore(balancer, links, flows, previous);
  const int least_excess = balancer.least_excess();
  const std::vector<std::size_t> excess = balancer.remove_excess();
  const auto dead = static_cast<std::size_t>(
      std::ranges::count_if(homeless, [&](std::size_t i) { return previous[i] != kNoSpine; }));
  homeless.insert(homeless.begin(), excess.begin(), excess.end());
  if (!place_all(balancer, homeless)) return std::nullopt;
  return Reassignment{.spines = balancer.spines(),
                      .least_moves = dead + static_cast<std::size_t>(least_excess)};
}

}  // namespace

Assignment Optimal::assign(const ClosLinks& links, std::span<const Flow> flows) {
  if (!links.uniform()) {
    require_routable(links, flows);
    return assign_unequal(links, flows, seed_).spines;
  }
  SpineBalancer balancer(links, flows);
  balancer.cap_by_degree();
  const std::vector<std::size_t> order = between_tors(flows);
  const bool cut =
      !order.empty() && links.live_spines(flows[order.front()].src_tor, flows[order.front()].dst_tor).empty();
  if (cut) require_routable(links, flows);
  if (!place_all(balancer, order))
    throw ModelError("no alternating path could place a flow without exceeding König's bound");
  return balancer.spines();
}

Reassignment reassign(const ClosLinks& links, std::span<const Flow> flows, std::span<const int> previous) {
  require_routable(links, flows);
  int least = lower_bound(links, flows);
  std::optional<Reassignment> found;
  if (links.uniform()) {
    found = try_reassign(links, flows, previous, [](SpineBalancer& b) { b.cap_by_degree(); });
    if (!found) throw ModelError("no alternating path could place a flow without exceeding König's bound");
  } else {
    const auto [fresh, proven_least] = assign_unequal(links, flows, 1);
    const int possible = max_load(links, flows, fresh);
    least = proven_least;
    for (int load = least; load <= possible && !found; ++load) {
      found = try_reassign(links, flows, previous, [&](SpineBalancer& b) { b.cap_all(load); });
    }
    if (!found) found = Reassignment{.spines = fresh};
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (previous[i] != kNoSpine && found->spines[i] != previous[i]) ++found->moved;
  }
  found->max_load = max_load(links, flows, found->spines);
  found->proven = found->max_load == least;
  return *found;
}

}  // namespace coppice::routing
