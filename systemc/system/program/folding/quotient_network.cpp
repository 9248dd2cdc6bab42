#include "system/program/folding/quotient_network.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "base/index.h"

namespace coppice::system {

using topology::Channel;
using topology::ChannelId;
using topology::kNoNode;
using topology::NodeId;
using topology::Route;
using topology::Topology;

QuotientNetwork::QuotientNetwork(const Topology& machine, int copies)
    : machine_(&machine),
      copies_(copies),
      nodes_(index(machine.num_nodes()), kNoNode),
      copy_of_(index(machine.num_nodes()), -1),
      channels_(machine.channels().size(), -1) {}

// Builds the quotient by comparing the copies port by port, starting at the accelerators.
struct QuotientNetwork::Builder {
  QuotientNetwork& quotient;
  const Topology& machine;
  NodeId next = 0;                          // the number that the next node of the quotient gets
  std::deque<std::vector<NodeId>> pending;  // [copy]: nodes of one role whose ports have not been compared
  std::vector<std::vector<ChannelId>> bundles;  // [channel of the quotient][copy]: channel of the machine

  void add_role(std::vector<NodeId> by_copy) {
    for (std::size_t copy = 0; copy < by_copy.size(); ++copy) {
      quotient.nodes_[index(by_copy[copy])] = next;
      quotient.copy_of_[index(by_copy[copy])] = static_cast<int>(copy);
    }
    ++next;
    pending.push_back(std::move(by_copy));
  }

  // Assigns `ends` ([copy]: the node at the other end of a role's port) to nodes of the quotient.
  bool place(const std::vector<NodeId>& ends) {
    const NodeId known = quotient.nodes_[index(ends.front())];
    if (known != kNoNode) {
      const bool shared = quotient.copy_of_[index(ends.front())] < 0;
      std::set<NodeId> distinct;
      for (const NodeId end : ends) {
        NodeId& node = quotient.nodes_[index(end)];
        if (node == kNoNode && shared) node = known;
        if (node != known) return false;
        distinct.insert(end);
      }
      return shared || distinct.size() == ends.size();
    }
    for (const NodeId end : ends) {
      if (machine.is_accelerator(end) || quotient.nodes_[index(end)] != kNoNode) return false;
    }
    const std::set<NodeId> distinct(ends.begin(), ends.end());
    if (distinct.size() == ends.size()) {
      add_role(ends);
      return true;
    }
    for (const NodeId end : distinct) quotient.nodes_[index(end)] = next;
    ++next;
    return true;
  }

  bool compare(const std::vector<NodeId>& role, bool outgoing) {
    const auto ports = [&](NodeId node) {
      return outgoing ? machine.out_channels(node) : machine.in_channels(node);
    };
    const std::size_t count = ports(role.front()).size();
    for (const NodeId node : role) {
      if (ports(node).size() != count) return false;
    }
    for (std::size_t port = 0; port < count; ++port) {
      std::vector<ChannelId> bundle;
      std::vector<NodeId> ends;
      const Channel& first = machine.channel(ports(role.front())[port]);
      for (const NodeId node : role) {
        bundle.push_back(ports(node)[port]);
        const Channel& channel = machine.channel(bundle.back());
        ends.push_back(outgoing ? channel.dst : channel.src);
        if (channel.bandwidth != first.bandwidth || channel.latency != first.latency ||
            channel.dimension != first.dimension) {
          return false;
        }
      }
      if (!place(ends) || !add(std::move(bundle))) return false;
    }
    return true;
  }

  // Numbers the channels of a bundle unless the comparison has already reached them from their other ends.
  bool add(std::vector<ChannelId> bundle) {
    const ChannelId known = quotient.channels_[index(bundle.front())];
    for (const ChannelId id : bundle) {
      ChannelId& number = quotient.channels_[index(id)];
      if (number != known) return false;
      if (known < 0) number = static_cast<ChannelId>(bundles.size());
    }
    if (known < 0) bundles.push_back(std::move(bundle));
    return true;
  }

  // Builds the quotient network. Channels are added in the order of copy 0's channels, so that ports keep
  // their numbers.
  bool build(int accelerators) {
    std::vector<ChannelId> order(bundles.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<ChannelId>(i);
    std::ranges::sort(order, {}, [&](ChannelId id) { return bundles[index(id)].front(); });
    quotient.topology_ = std::make_unique<Topology>(machine.kind(), machine.dims(), accelerators,
                                                    next - accelerators, machine.dimension_kinds());
    std::vector<ChannelId> numbers(bundles.size());
    for (const ChannelId id : order) {
      const Channel& channel = machine.channel(bundles[index(id)].front());
      const NodeId src = quotient.nodes_[index(channel.src)];
      const NodeId dst = quotient.nodes_[index(channel.dst)];
      if (src == dst) return false;
      numbers[index(id)] =
          quotient.topology_->add_channel(src, dst, channel.bandwidth, channel.latency, channel.dimension);
    }
    for (ChannelId& number : quotient.channels_) {
      if (number >= 0) number = numbers[index(number)];
    }
    return true;
  }
};

std::unique_ptr<QuotientNetwork> QuotientNetwork::find(const Topology& machine,
                                                       std::span<const std::vector<NodeId>> copies) {
  if (copies.empty() || copies.front().empty() || !machine.in_network().empty()) return nullptr;
  std::unique_ptr<QuotientNetwork> quotient(new QuotientNetwork(machine, static_cast<int>(copies.size())));
  Builder builder{*quotient, machine, 0, {}, {}};
  const std::size_t roles = copies.front().size();
  for (std::size_t role = 0; role < roles; ++role) {
    std::vector<NodeId> by_copy;
    for (const std::vector<NodeId>& copy : copies) {
      if (copy.size() != roles || quotient->nodes_[index(copy[role])] != kNoNode) return nullptr;
      by_copy.push_back(copy[role]);
    }
    builder.add_role(std::move(by_copy));
  }
  while (!builder.pending.empty()) {
    const std::vector<NodeId> role = std::move(builder.pending.front());
    builder.pending.pop_front();
    if (!builder.compare(role, true) || !builder.compare(role, false)) return nullptr;
  }
  return builder.build(static_cast<int>(roles)) ? std::move(quotient) : nullptr;
}

std::optional<Route> QuotientNetwork::image(NodeId src, const Route& route) const {
  Route image = route;
  NodeId at = src;
  for (topology::Hop& hop : image) {
    const auto out = machine_->out_channels(at);
    const NodeId here = node(at);
    if (hop.out_port >= out.size()) {
      if (here == kNoNode) return std::nullopt;
      hop.out_port =
          static_cast<std::uint16_t>(hop.out_port - out.size() + topology_->out_channels(here).size());
      continue;
    }
    const ChannelId there = channel(out[hop.out_port]);
    at = machine_->channel(out[hop.out_port]).dst;
    if (there < 0) return std::nullopt;
    hop.out_port = static_cast<std::uint16_t>(topology_->channel(there).src_port);
  }
  return image;
}

}  // namespace coppice::system
