#include "topology/networks/dragonfly.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"
#include "topology/routing/tie_bits.h"

namespace coppice::topology {
namespace {

constexpr int kMaxVcs = 255;

// The dims of a dragonfly, and the numbers that follow from them.
struct Shape {
  explicit Shape(std::span<const int> dims)
      : accelerators(dims[0]),
        routers(dims[1]),
        global_links(dims[2]),
        groups(dims.size() > 3 ? dims[3] : dims[1] * dims[2] + 1) {}

  // rounds() is the number of links from a group to each other group. The k-th global link of router r is
  // link r * global_links + k of its group. The links of a group lead to the groups at distances 1, 2, ...,
  // groups - 1, then again from 1 while there are enough links for another round.
  int rounds() const { return groups > 1 ? routers * global_links / (groups - 1) : 0; }
  int links_of_group() const { return rounds() * (groups - 1); }
  int distance_of(int link) const { return link % (groups - 1) + 1; }
  int link_to(int distance, int round) const { return round * (groups - 1) + distance - 1; }

  // The output ports of a router that lead to another router of its group and to a global link.
  int local_port(int router, int to) const { return accelerators + (to < router ? to : to - 1); }
  int global_port(int link) const { return accelerators + routers - 1 + link % global_links; }

  // Chooses a link to the group at `distance`: a link at `router` if there is one, otherwise the link that
  // `choice` selects.
  int choose(int router, int distance, NodeId choice) const {
    const int links = std::max(rounds(), 1);  // every group is linked to every other group
    for (int i = 0; i < links; ++i) {
      const int link = link_to(distance, (choice + i) % links);
      if (link / global_links == router) return link;
    }
    return link_to(distance, choice % links);
  }

  int first_switch() const { return accelerators * routers * groups; }
  int switches() const { return routers * groups; }

  int accelerators;  // accelerators per router
  int routers;       // routers per group
  int global_links;  // global links per router; some may be unused
  int groups;
};

void require_dragonfly(std::span<const int> dims) {
  if (dims.size() != 3) {
    require_dims(Kind::kDragonfly, dims, 4,
                 "[accelerators per router, routers per group, global links per router] or [..., groups]");
  }
  require_at_least(Kind::kDragonfly, "accelerators per router", dims[0], 1);
  require_at_least(Kind::kDragonfly, "routers per group", dims[1], 1);
  require_at_least(Kind::kDragonfly, "global links per router", dims[2], 1);
  const std::int64_t most = std::int64_t{dims[1]} * dims[2] + 1;
  const std::int64_t groups = dims.size() > 3 ? dims[3] : most;
  if (groups < 1 || groups > most) {
    throw UnsupportedError(fmt::format(
        "a dragonfly cannot have {} groups: {} routers with {} global links each can connect 1 to {} groups",
        groups, dims[1], dims[2], most));
  }
  const std::int64_t routers = dims[1] * groups;
  require_size(Kind::kDragonfly, dims, routers * (std::int64_t{dims[0]} + 1),
               routers * (2 * std::int64_t{dims[0]} + dims[1] - 1 + dims[2]));
}

class DragonflyRouting final : public RoutingFunction {
 public:
  DragonflyRouting(const Topology& topology, int vcs) : topology_(&topology), shape_(topology.dims()) {
    const auto middle = static_cast<std::uint8_t>(needs_classes(shape_) ? vcs / 2 : 0);
    const auto end = static_cast<std::uint8_t>(vcs);
    all_ = {0, end};
    before_ = middle > 0 ? VcRange{0, middle} : all_;
    after_ = {middle, end};
  }

  static bool needs_classes(const Shape& shape) { return shape.groups > 1 && shape.routers > 1; }

  // Sets RouteState::dateline_class to 1 when the packet takes the channel to the group of the destination.
  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    if (topology_->is_accelerator(at)) {
      const int port = at == dst ? static_cast<int>(topology_->out_channels(at).size()) + ejection_port : 0;
      return {static_cast<std::uint16_t>(port), all_};
    }
    const int here = at - shape_.first_switch();
    const int there = dst / shape_.accelerators;
    if (here == there) return {static_cast<std::uint16_t>(dst % shape_.accelerators), all_};
    const int group = here / shape_.routers;
    const int router = here % shape_.routers;
    if (group == there / shape_.routers) return local(router, there % shape_.routers, after_);
    const int distance = (there / shape_.routers - group + shape_.groups) % shape_.groups;
    const int link = shape_.choose(router, distance, dst);
    if (link / shape_.global_links != router) return local(router, link / shape_.global_links, before_);
    state.dateline_class = 1;
    return {static_cast<std::uint16_t>(shape_.global_port(link)), before_};
  }

  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return all_.end; }

 private:
  Hop local(int router, int to, VcRange vcs) const {
    return {static_cast<std::uint16_t>(shape_.local_port(router, to)), vcs};
  }

  const Topology* topology_;
  Shape shape_;
  VcRange all_;
  VcRange before_;
  VcRange after_;
};

// Routes through a random group. In RouteState, dateline_class counts the channels between groups that the
// packet has taken, and dimension is 0 after the first router.
class GroupDetour final : public DetourRouting {
 public:
  GroupDetour(const Topology& topology, int vcs, bool by_load)
      : topology_(&topology), shape_(topology.dims()), vcs_(vcs), by_load_(by_load) {}

  int num_vcs() const override { return vcs_; }

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    if (topology_->is_accelerator(at)) {
      const int port = at == dst ? static_cast<int>(topology_->out_channels(at).size()) + ejection_port : 0;
      return {static_cast<std::uint16_t>(port), {0, static_cast<std::uint8_t>(vcs_)}};
    }
    const int group = (at - shape_.first_switch()) / shape_.routers;
    const int middle = drawn(state, shape_.groups);
    // There is no detour if source and destination are in the same group, or if one of them is in the
    // randomly chosen group.
    if (group == group_of(dst) || group == middle || middle == group_of(dst)) state.tie_bits |= kPassed;
    state.dimension = 0;
    return step(at, dst, passed(state) ? group_of(dst) : middle, state);
  }

  NextHops ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                const OutputLoads& loads) const override {
    const bool first_router = !topology_->is_accelerator(at) && state.dimension < 0;
    if (by_load_ && first_router && goes_straight(at, dst, state, loads)) state.tie_bits |= kPassed;
    return {next_hop(at, dst, state, ejection_port)};
  }

  void advance_state(RouteState& /*state*/) const override {}

  void add_dependencies(ChannelDependencyGraph& graph) const override {
    for (NodeId src = 0; src < topology_->num_accelerators(); src += shape_.accelerators) {
      for (NodeId dst = 0; dst < topology_->num_accelerators(); dst += shape_.accelerators) {
        for (int group = 0; group < shape_.groups; ++group) {
          const std::uint32_t bits = draw_bits(group, shape_.groups);
          graph.add_route(src, make_route(*topology_, *this, src, dst, bits, 0));
          graph.add_route(src, make_route(*topology_, *this, src, dst, bits | kPassed, 0));
        }
      }
    }
  }

 private:
  int group_of(NodeId dst) const { return dst / shape_.accelerators / shape_.routers; }

  VcRange third(int number) const {
    return {static_cast<std::uint8_t>(number * vcs_ / 3), static_cast<std::uint8_t>((number + 1) * vcs_ / 3)};
  }

  // Returns the next hop towards group `target`.
  Hop step(NodeId at, NodeId dst, int target, RouteState& state) const {
    const int here = at - shape_.first_switch();
    const int there = dst / shape_.accelerators;
    if (here == there && passed(state)) {
      return {static_cast<std::uint16_t>(dst % shape_.accelerators), {0, static_cast<std::uint8_t>(vcs_)}};
    }
    const int router = here % shape_.routers;
    const VcRange vcs = third(state.dateline_class);
    const auto local = [&](int to) {
      return Hop{static_cast<std::uint16_t>(shape_.local_port(router, to)), vcs};
    };
    const int group = here / shape_.routers;
    if (group == target) return local(there % shape_.routers);
    const int link = shape_.choose(router, (target - group + shape_.groups) % shape_.groups, dst);
    if (link / shape_.global_links != router) return local(link / shape_.global_links);
    ++state.dateline_class;
    return {static_cast<std::uint16_t>(shape_.global_port(link)), vcs};
  }

  // A detour crosses twice as many channels between groups as the shortest path. Long channels always contain
  // some flits, so a detour pays only if clearly more flits wait on the shortest path.
  bool goes_straight(NodeId at, NodeId dst, const RouteState& state, const OutputLoads& loads) const {
    constexpr int kUsual = 30;  // flits
    RouteState straight = state;
    straight.tie_bits |= kPassed;
    RouteState around = state;
    const int shortest = loads.waiting(next_hop(at, dst, straight, 0).out_port);
    const int other = loads.waiting(next_hop(at, dst, around, 0).out_port);
    return shortest <= 2 * other + kUsual;
  }

  const Topology* topology_;
  Shape shape_;
  int vcs_;
  bool by_load_;
};

}  // namespace

Topology make_dragonfly(std::span<const int> dims, std::span<const LinkSpec> links) {
  require_dragonfly(dims);
  const std::vector<LinkSpec> levels = links_per_level(Kind::kDragonfly, links, 3);
  const Shape shape(dims);
  const int first = shape.first_switch();
  Topology topology(Kind::kDragonfly, {dims.begin(), dims.end()}, first, shape.switches());
  const auto add = [&](NodeId src, NodeId dst, int level) {
    const LinkSpec& link = levels[static_cast<std::size_t>(level)];
    topology.add_channel(src, dst, link.bandwidth, link.latency, level);
  };
  for (NodeId node = 0; node < first; ++node) add(node, first + node / shape.accelerators, 0);
  for (int s = 0; s < shape.switches(); ++s) {
    const int group = s / shape.routers;
    const int router = s % shape.routers;
    for (int i = 0; i < shape.accelerators; ++i) add(first + s, s * shape.accelerators + i, 0);
    for (int i = 0; i < shape.routers; ++i) {
      if (i != router) add(first + s, first + group * shape.routers + i, 1);
    }
    for (int link = router * shape.global_links;
         link < std::min((router + 1) * shape.global_links, shape.links_of_group()); ++link) {
      const int distance = shape.distance_of(link);
      const int back = shape.link_to(shape.groups - distance, link / (shape.groups - 1));
      const int other = (group + distance) % shape.groups;
      add(first + s, first + other * shape.routers + back / shape.global_links, 2);
    }
  }
  return topology;
}

std::unique_ptr<RoutingFunction> make_dragonfly_routing(const Topology& topology, int vcs) {
  const int least = DragonflyRouting::needs_classes(Shape(topology.dims())) ? 2 : 1;
  if (vcs < least || vcs > kMaxVcs) {
    throw UnsupportedError(fmt::format(
        "{} virtual channels are not supported on {}: use {} to {}{}", vcs, topology.name(), least, kMaxVcs,
        least > 1 ? " (some before and some after the channel between two groups)" : ""));
  }
  return std::make_unique<DragonflyRouting>(topology, vcs);
}

std::unique_ptr<DetourRouting> make_dragonfly_detours(const Topology& topology, int vcs, Detours detours) {
  if (detours == Detours::kAdaptive) {
    throw UnsupportedError(
        "a dragonfly has only one shortest path between two routers, so write ugal or valiant");
  }
  constexpr int kThirds = 3;
  if (vcs < kThirds || vcs > kMaxVcs) {
    throw UnsupportedError(fmt::format(
        "{} virtual channels are not supported on {}: use {} to {}, a third for each group on the path", vcs,
        topology.name(), kThirds, kMaxVcs));
  }
  return std::make_unique<GroupDetour>(topology, vcs, detours == Detours::kUgal);
}

}  // namespace coppice::topology
