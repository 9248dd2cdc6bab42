// Measures how long each method takes to assign paths to the flows of rings, whose accelerators are placed at
// random.
#include <benchmark/benchmark.h>

#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "routing/methods.h"
#include "routing/optimal.h"

namespace {

using namespace coppice;

struct Network {
  int per_tor;
  int tors;
  int spines;
};

constexpr Network kPaper{32, 64, 32};
constexpr Network kLarge{512, 1024, 512};

// `count` flows of randomly placed rings of `ring` accelerators.
std::vector<routing::Flow> ring_flows(const Network& network, int count, int ring) {
  std::vector<topology::NodeId> nic(static_cast<std::size_t>(network.per_tor) *
                                    static_cast<std::size_t>(network.tors));
  std::iota(nic.begin(), nic.end(), 0);
  Random random(1);
  for (std::size_t i = nic.size(); i > 1; --i) std::swap(nic[i - 1], nic[random.below(i)]);
  std::vector<routing::Flow> flows;
  for (int i = 0; i < count; ++i) {
    const int start = i / ring * ring;
    const auto src = nic[static_cast<std::size_t>(i)];
    const auto dst = nic[static_cast<std::size_t>(start + (i + 1 - start) % ring)];
    flows.push_back({src, dst, src / network.per_tor, dst / network.per_tor, 0});
  }
  return flows;
}

void assign(benchmark::State& state, const std::string& method, const routing::ClosLinks& links,
            const std::vector<routing::Flow>& flows) {
  const auto assigner = routing::make_assigner(method);
  routing::Assignment spines;
  for (auto _ : state) {
    spines = assigner->assign(links, flows);
    benchmark::DoNotOptimize(spines.data());
  }
  state.counters["load"] = routing::max_load(links, flows, spines);
  state.counters["bound"] = routing::lower_bound(links, flows);
}

void assign(benchmark::State& state, const std::string& method, const Network& network, int count) {
  const auto flows = ring_flows(network, count, 4);
  const routing::ClosLinks links(network.tors, network.spines);
  assign(state, method, links, flows);
}

// Some links have failed, so ToRs are connected to different sets of spines.
void assign_with_dead_links(benchmark::State& state) {
  const auto flows = ring_flows(kPaper, 1500, 4);
  routing::ClosLinks links(kPaper.tors, kPaper.spines);
  for (int tor = 0; tor < kPaper.tors; tor += 4) links.set_link(tor, tor % kPaper.spines, false);
  assign(state, "optimal", links, flows);
}

enum class Change { kArrival, kDeparture, kSpineFailure };

// Measures a reassignment after 200 of 1,500 flows have arrived or left, or after spine 5 has failed. The
// counters are `moved` (running flows that change spines), `least` (its lower bound) and `afresh` (running
// flows that would change spines in a completely new assignment).
void reassign(benchmark::State& state, Change change) {
  constexpr std::size_t kChanging = 200;
  auto flows = ring_flows(kPaper, 1500, 4);
  routing::ClosLinks links(kPaper.tors, kPaper.spines);
  const auto optimal = routing::make_assigner("optimal");
  const std::span<const routing::Flow> all(flows);
  routing::Assignment before = optimal->assign(links, flows);
  if (change == Change::kArrival) {
    before = optimal->assign(links, all.subspan(kChanging));
    before.insert(before.begin(), kChanging, routing::kNoSpine);
  }
  if (change == Change::kDeparture) {
    before.erase(before.begin(), before.begin() + kChanging);
    flows.erase(flows.begin(), flows.begin() + kChanging);
  }
  if (change == Change::kSpineFailure) links.set_spine(5, false);
  routing::Reassignment after;
  for (auto _ : state) after = routing::reassign(links, flows, before);
  const auto fresh = optimal->assign(links, flows);
  int afresh = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    afresh += before[i] != routing::kNoSpine && fresh[i] != before[i] ? 1 : 0;
  }
  state.counters["moved"] = static_cast<double>(after.moved);
  state.counters["least"] = static_cast<double>(after.least_moves);
  state.counters["afresh"] = afresh;
}

const int kRegistered = [] {
  for (const char* method : {"ecmp", "greedy", "edge_coloring", "annealing", "optimal"}) {
    for (const int count : {100, 500, 1500}) {
      benchmark::RegisterBenchmark(("assign/" + std::string(method) + "/" + std::to_string(count)).c_str(),
                                   [=](benchmark::State& s) { assign(s, method, kPaper, count); })
          ->Unit(benchmark::kMicrosecond);
    }
  }
  for (const char* method : {"greedy", "optimal"}) {
    benchmark::RegisterBenchmark(("assign_1024x512/" + std::string(method) + "/100000").c_str(),
                                 [=](benchmark::State& s) { assign(s, method, kLarge, 100'000); })
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("assign/ilp/16", [](benchmark::State& s) {
    assign(s, "ilp", {4, 8, 4}, 16);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("assign_with_dead_links/optimal/1500", assign_with_dead_links)
      ->Unit(benchmark::kMicrosecond);
  for (const auto& [name, change] : {std::pair{"arrival_of_200", Change::kArrival},
                                     {"departure_of_200", Change::kDeparture},
                                     {"spine_failure", Change::kSpineFailure}}) {
    benchmark::RegisterBenchmark((std::string("reassign/") + name).c_str(), [change = change](auto& s) {
      reassign(s, change);
    })->Unit(benchmark::kMicrosecond);
  }
  return 0;
}();

}  // namespace
