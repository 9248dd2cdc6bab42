#pragma once

#include <rapidcheck.h>

#include <utility>
#include <vector>

#include "base/random.h"
#include "routing/instance.h"

namespace coppice::routing {

// One flow per pair of ToRs; its endpoints are accelerators that are numbered in order of appearance.
inline std::vector<Flow> flows_between(const std::vector<std::pair<int, int>>& tors) {
  std::vector<Flow> flows;
  for (const auto& [src, dst] : tors) {
    const auto number = static_cast<NodeId>(2 * flows.size());
    flows.push_back({.src = number, .dst = number + 1, .src_tor = src, .dst_tor = dst});
  }
  return flows;
}

// A network and its flows. any_instance() generates up to 8 ToRs and 9 spines, and includes flows within a
// ToR.
struct Instance {
  ClosLinks links{1, 1};
  std::vector<Flow> flows;
};

inline Instance any_instance(int most_flows = 80) {
  const int tors = *rc::gen::inRange(1, 9);
  const int spines = *rc::gen::inRange(1, 10);
  const auto tor = rc::gen::inRange(0, tors);
  const auto pairs = *rc::gen::resize(
      most_flows, rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(tor, tor)));
  return {ClosLinks(tors, spines), flows_between(pairs)};
}

// Fails random spines, but leaves at least one alive.
inline void fail_some_spines(ClosLinks& links) {
  const int failed = *rc::gen::inRange(0, links.spines());
  for (int i = 0; i < failed; ++i) links.set_spine((i * 7 + 3) % links.spines(), false);
  links.set_spine(*rc::gen::inRange(0, links.spines()), true);
}

// Fails random links, such that every pair of ToRs keeps a common spine.
inline void fail_some_links(ClosLinks& links) {
  const int safe = *rc::gen::inRange(0, links.spines());
  const int failed = *rc::gen::inRange(0, links.tors() * links.spines());
  for (int i = 0; i < failed; ++i) {
    const int spine = *rc::gen::inRange(0, links.spines());
    if (spine != safe) links.set_link(*rc::gen::inRange(0, links.tors()), spine, false);
  }
}

// A random instance whose links are dead with probability `dead` and whose flows can all be routed.
inline Instance with_dead_links(int tors, int spines, double dead, int flows, Random& random) {
  Instance instance{ClosLinks(tors, spines), {}};
  for (int tor = 0; tor < tors; ++tor) {
    for (int s = 0; s < spines; ++s) instance.links.set_link(tor, s, !random.bernoulli(dead));
  }
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < flows; ++i) {
    const auto src = static_cast<int>(random.below(static_cast<std::size_t>(tors)));
    const auto dst = static_cast<int>(random.below(static_cast<std::size_t>(tors)));
    if (src != dst && !instance.links.live_spines(src, dst).empty()) pairs.emplace_back(src, dst);
  }
  instance.flows = flows_between(pairs);
  return instance;
}

// An instance with dead links in which every live link carries exactly `load` flows, without flows within a
// ToR. `load` is therefore the optimum, and hardly any other assignment reaches it.
inline Instance planted(int tors, int spines, double dead, int load, Random& random) {
  Instance instance = with_dead_links(tors, spines, dead, 0, random);
  std::vector<std::pair<int, int>> pairs;
  const auto shuffle = [&random](auto& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
  };
  for (int s = 0; s < spines * load; ++s) {
    std::vector<int> sources;
    for (int tor = 0; tor < tors; ++tor) {
      if (instance.links.up(tor, s % spines)) sources.push_back(tor);
    }
    std::vector<int> destinations = sources;
    shuffle(destinations);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] != destinations[i]) pairs.emplace_back(sources[i], destinations[i]);
    }
  }
  shuffle(pairs);
  instance.flows = flows_between(pairs);
  return instance;
}

// The flows of rings of `ring` accelerators, in ring order. The rings are placed at random on a network of 64
// ToRs and 32 spines with 32 NICs per ToR.
inline std::vector<Flow> random_rings(int rings, int ring, std::uint64_t seed) {
  constexpr int kNics = 2048;
  constexpr int kPerTor = 32;
  std::vector<NodeId> nic(kNics);
  for (int i = 0; i < kNics; ++i) nic[static_cast<std::size_t>(i)] = i;
  Random random(seed);
  for (std::size_t i = nic.size(); i > 1; --i) std::swap(nic[i - 1], nic[random.below(i)]);
  std::vector<Flow> flows;
  for (int r = 0; r < rings; ++r) {
    for (int i = 0; i < ring; ++i) {
      const NodeId src = nic[static_cast<std::size_t>(r * ring + i)];
      const NodeId dst = nic[static_cast<std::size_t>(r * ring + (i + 1) % ring)];
      flows.push_back({.src = src, .dst = dst, .src_tor = src / kPerTor, .dst_tor = dst / kPerTor});
    }
  }
  return flows;
}

}  // namespace coppice::routing
