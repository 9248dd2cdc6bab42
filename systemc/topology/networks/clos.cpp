#include "topology/networks/clos.h"

#include <fmt/format.h>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

// Returns whether the link between each ToR and each spine is alive, indexed by [tor * spines + spine].
std::vector<bool> live_links(int tors, int spines, const ClosFailures& failures) {
  const auto width = static_cast<std::size_t>(spines);
  std::vector<bool> live(static_cast<std::size_t>(tors) * width, true);
  const auto require = [](const char* what, int number, int count) {
    if (number >= 0 && number < count) return;
    throw UnsupportedError(fmt::format("there is no {} {} that could fail: the {}s are numbered 0 to {}",
                                       what, number, what, count - 1));
  };
  for (const int spine : failures.spines) {
    require("spine", spine, spines);
    for (std::size_t tor = 0; tor < static_cast<std::size_t>(tors); ++tor) {
      live[tor * width + static_cast<std::size_t>(spine)] = false;
    }
  }
  for (const auto& [tor, spine] : failures.links) {
    require("ToR", tor, tors);
    require("spine", spine, spines);
    live[static_cast<std::size_t>(tor) * width + static_cast<std::size_t>(spine)] = false;
  }
  return live;
}

}  // namespace

Topology make_clos(std::span<const int> dims, std::span<const LinkSpec> links, const ClosFailures& failures) {
  require_dims(Kind::kClos, dims, 3, "[accelerators per ToR, ToRs, spines]");
  const int per_tor = dims[0];
  const int tors = dims[1];
  const int spines = dims[2];
  require_at_least(Kind::kClos, "accelerators per ToR", per_tor, 1);
  require_at_least(Kind::kClos, "ToRs", tors, 1);
  require_at_least(Kind::kClos, "spines", spines, 1);
  const std::int64_t accelerators = std::int64_t{per_tor} * tors;
  require_size(Kind::kClos, dims, accelerators + tors + spines,
               2 * accelerators + 2 * std::int64_t{tors} * spines);
  const std::vector<LinkSpec> levels = links_per_level(Kind::kClos, links, 2);
  const std::vector<bool> live = live_links(tors, spines, failures);
  const auto alive = [&](int tor, int spine) {
    return live[static_cast<std::size_t>(tor) * static_cast<std::size_t>(spines) +
                static_cast<std::size_t>(spine)];
  };

  Topology clos(Kind::kClos, {dims.begin(), dims.end()}, static_cast<int>(accelerators), tors + spines);
  const auto add = [&](NodeId src, NodeId dst, int level) {
    const LinkSpec& link = levels[static_cast<std::size_t>(level)];
    clos.add_channel(src, dst, link.bandwidth, link.latency, level);
  };
  const auto first_tor = static_cast<NodeId>(accelerators);
  const NodeId first_spine = first_tor + tors;
  for (NodeId node = 0; node < first_tor; ++node) add(node, first_tor + node / per_tor, 0);
  for (int tor = 0; tor < tors; ++tor) {
    for (int i = 0; i < per_tor; ++i) add(first_tor + tor, tor * per_tor + i, 0);
    for (int spine = 0; spine < spines; ++spine) {
      if (alive(tor, spine)) add(first_tor + tor, first_spine + spine, 1);
    }
  }
  for (int spine = 0; spine < spines; ++spine) {
    for (int tor = 0; tor < tors; ++tor) {
      if (alive(tor, spine)) add(first_spine + spine, first_tor + tor, 1);
    }
  }
  return clos;
}

Clos::Clos(const Topology& topology)
    : topology_(&topology),
      per_tor_(topology.dims().at(0)),
      tors_(topology.dims().at(1)),
      spines_(topology.dims().at(2)),
      up_(static_cast<std::size_t>(tors_) * static_cast<std::size_t>(spines_), -1),
      down_(up_.size(), -1) {
  for (std::size_t id = 0; id < topology.channels().size(); ++id) {
    const Channel& channel = topology.channels()[id];
    if (channel.dimension == 0) continue;
    const NodeId first_spine = spine_node(0);
    if (channel.dst >= first_spine) {
      up_[index(channel.src - tor_node(0), channel.dst - first_spine)] = static_cast<ChannelId>(id);
    } else {
      down_[index(channel.dst - tor_node(0), channel.src - first_spine)] = static_cast<ChannelId>(id);
    }
  }
}

Route Clos::route(NodeId src, NodeId dst, int spine, int vcs) const {
  const VcRange all{0, static_cast<std::uint8_t>(vcs)};
  const auto hop = [&](int port) { return Hop{.out_port = static_cast<std::uint16_t>(port), .vcs = all}; };
  const int from = tor_of(src);
  const int to = tor_of(dst);
  Route route{hop(0)};
  if (from != to) {
    for (const ChannelId channel : {up(from, spine), down(spine, to)}) {
      if (channel < 0) {
        throw ModelError(
            fmt::format("there is no path from {} to {} over spine {}, because one of its links has failed",
                        src, dst, spine));
      }
      route.push_back(hop(topology_->channel(channel).src_port));
    }
  }
  route.push_back(hop(dst % per_tor_));  // ToR to NIC
  route.push_back(hop(1));  // ejection at the NI port, which follows the accelerator's only channel
  return route;
}

}  // namespace coppice::topology
