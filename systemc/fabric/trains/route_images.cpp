#include "fabric/trains/route_images.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace coppice::fabric {
namespace {

using topology::ChannelId;
using topology::Route;
using topology::Topology;

// A route from an accelerator and the channels that the route uses.
struct Followed {
  std::vector<ChannelId> channels;
  NodeId dst = topology::kNoNode;
  int ejection_port = -1;
};

std::optional<Followed> follow(const Topology& topology, NodeId src, const Route& route) {
  Followed followed{.channels = {}, .dst = src};
  for (std::size_t i = 0; i < route.size(); ++i) {
    const auto out = topology.out_channels(followed.dst);
    if (route[i].out_port >= out.size()) {
      followed.ejection_port = route[i].out_port - static_cast<int>(out.size());
      if (i + 1 != route.size()) return std::nullopt;
      return followed;
    }
    followed.channels.push_back(out[route[i].out_port]);
    followed.dst = topology.channel(followed.channels.back()).dst;
  }
  return std::nullopt;
}

bool alike(const Topology& topology, const Followed& a, const Followed& b, const Route& at_a,
           const Route& at_b) {
  if (a.channels.size() != b.channels.size()) return false;
  for (std::size_t i = 0; i < at_a.size(); ++i) {
    if (!(at_a[i].vcs == at_b[i].vcs)) return false;
  }
  for (std::size_t i = 0; i < a.channels.size(); ++i) {
    const topology::Channel& one = topology.channel(a.channels[i]);
    const topology::Channel& other = topology.channel(b.channels[i]);
    if (one.bandwidth != other.bandwidth || one.latency != other.latency) return false;
    if (topology.is_accelerator(one.dst) != topology.is_accelerator(other.dst)) return false;
  }
  return true;
}

}  // namespace

RouteImages::RouteImages(const Topology& topology, NodeId origin)
    : topology_(&topology),
      origin_(origin),
      accelerators_(static_cast<std::size_t>(topology.num_accelerators())),
      image_at_origin_(topology.channels().size(), -1),
      ejections_(accelerators_) {}

bool RouteImages::add(std::span<const Route* const> images) {
  const Route& route = *images[static_cast<std::size_t>(origin_)];
  const auto at_origin = follow(*topology_, origin_, route);
  if (!at_origin || at_origin->channels.empty()) return false;
  Images found;
  found.hops = at_origin->channels.size();
  found.channels.resize(found.hops * accelerators_);
  std::vector<bool> reached(static_cast<std::size_t>(topology_->num_nodes()), false);
  std::vector<Ejection> ejections;
  int ejection_at_origin = -1;
  for (std::size_t n = 0; n < accelerators_; ++n) {
    const auto here = follow(*topology_, static_cast<NodeId>(n), *images[n]);
    if (!here || !alike(*topology_, *at_origin, *here, route, *images[n])) return false;
    for (std::size_t hop = 0; hop < found.hops; ++hop) {
      found.channels[hop * accelerators_ + n] = here->channels[hop];
    }
    if (reached[static_cast<std::size_t>(here->dst)]) return false;
    reached[static_cast<std::size_t>(here->dst)] = true;
    if (!topology_->is_accelerator(here->dst)) return false;
    ejections.push_back({here->dst, here->ejection_port});
    if (here->dst != origin_) continue;
    ejection_at_origin = here->ejection_port;
    found.incoming = images[n];
    found.incoming_src = static_cast<NodeId>(n);
  }
  if (found.incoming == nullptr || !add_channels(found, at_origin->channels.front())) return false;
  if (!add_ejections(ejections, ejection_at_origin)) return false;
  const auto [place, added] = images_.try_emplace(&route, std::move(found));
  return added || place->second.channels == found.channels;
}

// The images of a channel must be distinct channels, and every channel must have a single image at the
// origin.
bool RouteImages::add_channels(const Images& images, ChannelId first) {
  for (std::size_t hop = 0; hop < images.hops; ++hop) {
    const auto all = channels(images, hop);
    const ChannelId at_origin = hop == 0 ? first : all[static_cast<std::size_t>(images.incoming_src)];
    std::vector<ChannelId> sorted(all.begin(), all.end());
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return false;
    for (const ChannelId id : all) {
      ChannelId& known = image_at_origin_[static_cast<std::size_t>(id)];
      if (known >= 0 && known != at_origin) return false;
      known = at_origin;
    }
  }
  return true;
}

int RouteImages::ejection_port(NodeId accelerator, int at_origin) const {
  const auto& ports = ejections_[static_cast<std::size_t>(accelerator)];
  return std::ranges::find(ports, at_origin, &std::pair<int, int>::second)->first;
}

bool RouteImages::add_ejections(std::span<const Ejection> images, int at_origin) {
  for (const Ejection& ejection : images) {
    auto& known = ejections_[static_cast<std::size_t>(ejection.node)];
    const std::pair image{ejection.port, at_origin};
    if (std::ranges::find(known, image) != known.end()) continue;
    const bool differs = std::ranges::any_of(
        known, [&](const auto& other) { return other.first == image.first || other.second == image.second; });
    if (differs) return false;
    known.push_back(image);
  }
  return true;
}

}  // namespace coppice::fabric
