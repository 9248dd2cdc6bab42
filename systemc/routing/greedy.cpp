#include "routing/greedy.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "routing/load_levels.h"

namespace coppice::routing {
namespace {

void assign_in_order(const ClosLinks& links, std::span<const Flow> flows, std::span<const std::size_t> order,
                     Assignment& spines) {
  LoadLevels loads(links);
  for (const std::size_t i : order) {
    const Flow& flow = flows[i];
    if (flow.local()) continue;
    const int from = loads.up_end(flow.src_tor);
    const int to = loads.down_end(flow.dst_tor);
    const int spine = loads.least_loaded(from, to);
    spines[i] = spine;
    if (spine == kNoSpine) continue;
    loads.add(from, spine);
    loads.add(to, spine);
  }
}

// Local flows have none, so only they may be left without a spine.
void require_assigned(const ClosLinks& links, std::span<const Flow> flows, const Assignment& spines) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (spines[i] == kNoSpine && !flows[i].local()) require_routable(links, flows);
  }
}

}  // namespace

std::vector<int> components(int tors, std::span<const Flow> flows) {
  std::vector<int> parent(2 * static_cast<std::size_t>(tors));
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](int end) {
    while (parent[static_cast<std::size_t>(end)] != end) {
      int& up = parent[static_cast<std::size_t>(end)];
      up = parent[static_cast<std::size_t>(up)];
      end = up;
    }
    return end;
  };
  for (const Flow& flow : flows) {
    if (!flow.local()) parent[static_cast<std::size_t>(find(flow.src_tor))] = find(tors + flow.dst_tor);
  }
  std::vector<int> number(parent.size(), -1);
  int count = 0;
  std::vector<int> result;
  result.reserve(flows.size());
  for (const Flow& flow : flows) {
    if (flow.local()) {
      result.push_back(-1);
      continue;
    }
    int& component = number[static_cast<std::size_t>(find(flow.src_tor))];
    if (component < 0) component = count++;
    result.push_back(component);
  }
  return result;
}

// Orders flows by ToR: the flows of the busiest end (a ToR's uplinks or downlinks) first, each flow once.
std::vector<std::size_t> Greedy::ordered(const ClosLinks& links, std::span<const Flow> flows) const {
  std::vector<std::size_t> order(flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order_ == GreedyOrder::kRandom) {
    Random random(seed_, 0x67726565);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  if (order_ != GreedyOrder::kTor) return order;
  const auto tors = static_cast<std::size_t>(links.tors());
  std::vector<int> degree(2 * tors, 0);
  for (const Flow& flow : flows) {
    if (flow.local()) continue;
    ++degree[static_cast<std::size_t>(flow.src_tor)];
    ++degree[tors + static_cast<std::size_t>(flow.dst_tor)];
  }
  std::vector<std::size_t> ends(2 * tors);
  std::iota(ends.begin(), ends.end(), std::size_t{0});
  std::ranges::stable_sort(ends, [&](std::size_t a, std::size_t b) { return degree[a] > degree[b]; });
  std::vector<std::size_t> rank(2 * tors);
  for (std::size_t r = 0; r < ends.size(); ++r) rank[ends[r]] = r;
  const auto first_end = [&](std::size_t i) {
    return std::min(rank[static_cast<std::size_t>(flows[i].src_tor)],
                    rank[tors + static_cast<std::size_t>(flows[i].dst_tor)]);
  };
  std::ranges::stable_sort(order, {}, first_end);
  return order;
}

Assignment Greedy::assign(const ClosLinks& links, std::span<const Flow> flows) {
  Assignment spines(flows.size(), kNoSpine);
  const std::vector<std::size_t> order = ordered(links, flows);
  if (threads_ <= 1) {
    assign_in_order(links, flows, order, spines);
    require_assigned(links, flows, spines);
    return spines;
  }
  const std::vector<int> component = components(links.tors(), flows);
  const int count = component.empty() ? 0 : 1 + *std::ranges::max_element(component);
  const int workers = std::min(threads_, std::max(count, 1));
  std::vector<std::vector<std::size_t>> share(static_cast<std::size_t>(workers));
  for (const std::size_t i : order) {
    if (component[i] >= 0) share[static_cast<std::size_t>(component[i] % workers)].push_back(i);
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t w = 1; w < share.size(); ++w) {
      threads.emplace_back([&, w] { assign_in_order(links, flows, share[w], spines); });
    }
    assign_in_order(links, flows, share.front(), spines);
  }
  require_assigned(links, flows, spines);
  return spines;
}

}  // namespace coppice::routing
