#include "topology/routing/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/error.h"

namespace coppice::topology {
namespace {

constexpr std::size_t kWordBits = 64;

// A channel, and those of its virtual channels that a packet may hold.
struct Held {
  ChannelId channel = -1;
  VcRange vcs;
};

// A packet on a channel and the packet's routing state. The destination is known from the context.
struct Packet {
  Held held;  // the channel is -1 at the source
  NodeId at = kNoNode;
  RouteState state;
};

// Returns a key for the held virtual channels and the state of a packet on a given channel. The key omits the
// tie bits, because each of them is used only when the packet enters the corresponding dimension.
std::uint64_t packed(const Packet& packet) {
  const RouteState& state = packet.state;
  return static_cast<std::uint64_t>(packet.held.vcs.begin) |
         static_cast<std::uint64_t>(packet.held.vcs.end) << 8 |
         static_cast<std::uint64_t>(static_cast<std::uint8_t>(state.dimension)) << 16 |
         static_cast<std::uint64_t>(static_cast<std::uint8_t>(state.direction)) << 24 |
         static_cast<std::uint64_t>(state.dateline_class) << 32;
}

// Calls visit(bit) for each set bit from `from` on, in ascending order, until visit returns true.
template <typename Visit>
void for_bits_from(const std::vector<std::uint64_t>& words, std::size_t from, Visit visit) {
  for (std::size_t w = from / kWordBits; w < words.size(); ++w) {
    std::uint64_t word = words[w];
    if (w == from / kWordBits) word &= ~std::uint64_t{0} << (from % kWordBits);
    for (; word != 0; word &= word - 1) {
      if (visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(word)))) return;
    }
  }
}

}  // namespace

ChannelDependencyGraph::ChannelDependencyGraph(const Topology& topology, int vcs)
    : topology_(&topology), vcs_(vcs) {
  if (vcs < 1)
    throw UnsupportedError(fmt::format("the number of virtual channels is {}, but must be at least 1", vcs));
  dependents_.resize(topology.channels().size() * static_cast<std::size_t>(vcs));
}

void ChannelDependencyGraph::add_dependency(ChannelId held, VcRange held_vcs, const Hop& next) {
  if (next.vcs.begin >= next.vcs.end || next.vcs.end > vcs_) {
    throw ModelError(fmt::format("a hop from node {} allows virtual channels {} to {}, but there are {}",
                                 topology_->channel(held).dst, next.vcs.begin, next.vcs.end - 1, vcs_));
  }
  const auto vcs = static_cast<std::size_t>(vcs_);
  const std::size_t bits = topology_->out_channels(topology_->channel(held).dst).size() * vcs;
  const std::size_t words = (bits + kWordBits - 1) / kWordBits;
  for (std::size_t vc = held_vcs.begin; vc < held_vcs.end; ++vc) {
    auto& row = dependents_[static_cast<std::size_t>(held) * vcs + vc];
    if (row.empty()) row.resize(words);
    for (std::size_t to = next.vcs.begin; to < next.vcs.end; ++to) {
      const std::size_t bit = next.out_port * vcs + to;
      row[bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
    }
  }
}

void ChannelDependencyGraph::add_route(NodeId src, std::span<const Hop> route) {
  Held held;
  NodeId at = src;
  for (const Hop& hop : route) {
    const auto out = topology_->out_channels(at);
    if (hop.out_port >= out.size()) return;  // a network interface always accepts ejected packets
    if (held.channel >= 0) add_dependency(held.channel, held.vcs, hop);
    held = {out[hop.out_port], hop.vcs};
    at = topology_->channel(held.channel).dst;
  }
}

// Packets to the same destination that are on the same channel in the same state continue identically. Each
// (channel, state) pair is therefore followed once per destination instead of once per source.
void ChannelDependencyGraph::add_all_pairs(const RoutingFunction& routing) {
  std::vector<std::vector<std::uint64_t>> seen(topology_->channels().size());
  std::vector<ChannelId> touched;
  std::vector<Packet> pending;

  const auto advance = [&](const Packet& from, const Hop& hop, const RouteState& state) {
    const auto out = topology_->out_channels(from.at);
    if (hop.out_port >= out.size()) return;
    if (from.held.channel >= 0) add_dependency(from.held.channel, from.held.vcs, hop);
    const ChannelId channel = out[hop.out_port];
    const Packet packet{.held = {channel, hop.vcs}, .at = topology_->channel(channel).dst, .state = state};
    auto& states = seen[static_cast<std::size_t>(channel)];
    if (std::ranges::find(states, packed(packet)) != states.end()) return;
    if (states.empty()) touched.push_back(channel);
    states.push_back(packed(packet));
    pending.push_back(packet);
  };

  for (NodeId dst = 0; dst < topology_->num_accelerators(); ++dst) {
    for (NodeId src = 0; src < topology_->num_accelerators(); ++src) {
      if (src != dst) pending.push_back({.held = {}, .at = src, .state = {}});
    }
    while (!pending.empty()) {
      const Packet packet = pending.back();
      pending.pop_back();
      RouteState state = packet.state;
      const Hop hop = routing.next_hop(packet.at, dst, state, 0);
      advance(packet, hop, state);
      if (state.dimension == packet.state.dimension || state.dimension < 0 ||
          state.dimension >= routing.num_tie_bits()) {
        continue;
      }
      RouteState other = packet.state;
      other.tie_bits = std::uint32_t{1} << state.dimension;
      const Hop other_hop = routing.next_hop(packet.at, dst, other, 0);
      other.tie_bits = 0;
      if (!(other_hop == hop)) advance(packet, other_hop, other);
    }
    for (const ChannelId channel : touched) seen[static_cast<std::size_t>(channel)].clear();
    touched.clear();
  }
}

std::vector<std::pair<ChannelId, int>> ChannelDependencyGraph::find_cycle() const {
  const auto vcs = static_cast<std::size_t>(vcs_);
  // Returns the vertex that `bit` represents in the row of vertex `from`.
  const auto target = [&](std::size_t from, std::size_t bit) {
    const Channel& channel = topology_->channel(static_cast<ChannelId>(from / vcs));
    return static_cast<std::size_t>(topology_->out_channels(channel.dst)[bit / vcs]) * vcs + bit % vcs;
  };

  // Searches depth-first: an edge to a vertex on the current path closes a cycle.
  struct Visit {
    std::size_t vertex;
    std::size_t next_bit;
  };
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<Mark> marks(dependents_.size(), Mark::kNew);
  std::vector<Visit> path;
  for (std::size_t root = 0; root < dependents_.size(); ++root) {
    if (marks[root] != Mark::kNew) continue;
    marks[root] = Mark::kOnPath;
    path.push_back({root, 0});
    while (!path.empty()) {
      const std::size_t vertex = path.back().vertex;
      std::optional<std::size_t> next;
      for_bits_from(dependents_[vertex], path.back().next_bit, [&](std::size_t bit) {
        path.back().next_bit = bit + 1;
        if (const std::size_t to = target(vertex, bit); marks[to] != Mark::kDone) next = to;
        return next.has_value();
      });
      if (!next) {
        marks[vertex] = Mark::kDone;
        path.pop_back();
      } else if (marks[*next] == Mark::kNew) {
        marks[*next] = Mark::kOnPath;
        path.push_back({*next, 0});
      } else {
        const auto first = std::ranges::find(path, *next, &Visit::vertex);
        std::vector<std::pair<ChannelId, int>> cycle;
        for (auto visit = first; visit != path.end(); ++visit) {
          cycle.emplace_back(static_cast<ChannelId>(visit->vertex / vcs),
                             static_cast<int>(visit->vertex % vcs));
        }
        return cycle;
      }
    }
  }
  return {};
}

std::string ChannelDependencyGraph::describe(std::span<const std::pair<ChannelId, int>> cycle) const {
  std::string text;
  for (const auto& [id, vc] : cycle) {
    const Channel& channel = topology_->channel(id);
    text += fmt::format("{}channel {}->{} vc {}", text.empty() ? "" : ", ", channel.src, channel.dst, vc);
  }
  return text;
}

}  // namespace coppice::topology
