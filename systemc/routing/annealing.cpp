#include "routing/annealing.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "routing/ecmp.h"

namespace coppice::routing {
namespace {

// A destination accelerator and the flows to it.
struct Destination {
  NodeId node = 0;
  int tor = 0;
  int spine = 0;
  std::vector<std::size_t> flows;
};

// A state of the annealing: the spine of every destination, together with the link loads and the cost, both
// of which are updated after every move.
class State {
 public:
  State(const ClosLinks& links, std::span<const Flow> flows)
      : links_(&links),
        flows_(flows),
        up_(static_cast<std::size_t>(links.tors()) * static_cast<std::size_t>(links.spines()), 0),
        down_(up_.size(), 0) {
    std::map<NodeId, std::size_t> index;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (flows[i].local()) continue;
      const auto [at, added] = index.try_emplace(flows[i].dst, destinations.size());
      if (added) destinations.push_back({flows[i].dst, flows[i].dst_tor, 0, {}});
      destinations[at->second].flows.push_back(i);
    }
    of_tor.resize(static_cast<std::size_t>(links.tors()));
    for (std::size_t d = 0; d < destinations.size(); ++d) {
      of_tor[static_cast<std::size_t>(destinations[d].tor)].push_back(d);
    }
  }

  void set(std::size_t d, int spine) {
    destinations[d].spine = spine;
    for (const std::size_t i : destinations[d].flows) change(i, path(i, spine), 1);
  }
  void swap(std::size_t a, std::size_t b) {
    if (a == b) return;
    const int spine_of_a = destinations[a].spine;
    const int spine_of_b = destinations[b].spine;
    for (const std::size_t i : destinations[a].flows) change(i, path(i, spine_of_a), -1);
    for (const std::size_t i : destinations[b].flows) change(i, path(i, spine_of_b), -1);
    set(a, spine_of_b);
    set(b, spine_of_a);
  }

  double squares() const { return static_cast<double>(squares_); }

  // The first spine whose links are free for all flows to the destination (global first fit); kNoSpine if
  // there is none.
  int first_fit(std::size_t d) const {
    for (int s = 0; s < links_->spines(); ++s) {
      const bool fits = std::ranges::all_of(destinations[d].flows, [&](std::size_t i) {
        return links_->usable(flows_[i].src_tor, s, flows_[i].dst_tor) &&
               up_[slot(flows_[i].src_tor, s)] == 0 && down_[slot(flows_[i].dst_tor, s)] == 0;
      });
      if (fits) return s;
    }
    return kNoSpine;
  }

  Assignment spines() const {
    Assignment result(flows_.size(), kNoSpine);
    for (const Destination& destination : destinations) {
      for (const std::size_t i : destination.flows) result[i] = path(i, destination.spine);
    }
    return result;
  }

  std::vector<Destination> destinations;
  std::vector<std::vector<std::size_t>> of_tor;  // [ToR]: destinations

 private:
  std::size_t slot(int tor, int spine) const {
    return static_cast<std::size_t>(tor) * static_cast<std::size_t>(links_->spines()) +
           static_cast<std::size_t>(spine);
  }
  int path(std::size_t flow, int spine) const {
    while (!links_->usable(flows_[flow].src_tor, spine, flows_[flow].dst_tor)) {
      spine = (spine + 1) % links_->spines();
    }
    return spine;
  }
  void change(std::size_t flow, int spine, int by) {
    change(up_[slot(flows_[flow].src_tor, spine)], by);
    change(down_[slot(flows_[flow].dst_tor, spine)], by);
  }
  void change(int& load, int by) {
    const auto excess = [](int l) { return l > 1 ? std::int64_t{l - 1} * (l - 1) : 0; };
    squares_ += excess(load + by) - excess(load);
    load += by;
  }

  const ClosLinks* links_;
  std::span<const Flow> flows_;
  std::vector<int> up_;
  std::vector<int> down_;
  std::int64_t squares_ = 0;
};

// Chooses two destinations at random: with equal probability either any two, or two on the same ToR.
std::pair<std::size_t, std::size_t> draw_move(const State& state, Random& random) {
  const std::size_t a = random.below(state.destinations.size());
  if (random.bernoulli(0.5)) return {a, random.below(state.destinations.size())};
  const auto& neighbours = state.of_tor[static_cast<std::size_t>(state.destinations[a].tor)];
  return {a, neighbours[random.below(neighbours.size())]};
}

// Anneals `state` and returns the best assignment found.
Assignment anneal(State& state, Random& random) {
  constexpr int kMoves = 20'000;
  constexpr double kHot = 2.0;
  constexpr double kCold = 0.05;
  const double cooling = std::pow(kCold / kHot, 1.0 / kMoves);
  Assignment best = state.spines();
  double now = state.squares();
  double least = now;
  const auto moves = static_cast<int>(std::ceil(std::log(kCold / kHot) / std::log(cooling)));
  double temperature = kHot;
  for (int move = 0; move < moves; ++move, temperature *= cooling) {
    const auto [a, b] = draw_move(state, random);
    state.swap(a, b);
    const double then = state.squares();
    if (then > now && !random.bernoulli(std::exp((now - then) / temperature))) {
      state.swap(a, b);
      continue;
    }
    now = then;
    if (now < least) {
      least = now;
      best = state.spines();
    }
  }
  return best;
}

}  // namespace

Assignment Annealing::assign(const ClosLinks& links, std::span<const Flow> flows) {
  require_routable(links, flows);
  State state(links, flows);
  Random random(seed_, 0x616e6e65);
  if (state.destinations.empty()) return state.spines();
  const Ecmp hash(seed_);
  for (std::size_t d = 0; d < state.destinations.size(); ++d) {
    const int fit = state.first_fit(d);
    const Flow& flow = flows[state.destinations[d].flows.front()];
    state.set(d, fit != kNoSpine
                     ? fit
                     : hash.pick(links, flow.src_tor, flow.dst_tor, hash.tuple(flow.src, flow.dst)));
  }
  return anneal(state, random);
}

}  // namespace coppice::routing
