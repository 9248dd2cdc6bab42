#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

using topology::NodeId;

// The routes of all accelerators in a run that looks the same from each of them. They are represented by the
// routes of one accelerator, the origin. A message that leaves the origin over a route represents one image
// from every accelerator, sent at the same time over equivalent channels. One of the images arrives at the
// origin.
//
// Channels have images as well. For a route's first channel, they are the images of the channel that leaves
// the origin; for its other channels, they are the images of the channels through which the route's image
// arrives at the origin. The origin's messages on these channels therefore show what all messages do on the
// images of the channels. Ejection ports have images, too, because equivalent ports may have different
// numbers at different accelerators.
class RouteImages {
 public:
  struct Images {
    NodeId incoming_src = topology::kNoNode;  // source of the image that arrives at the origin
    const topology::Route* incoming = nullptr;
    std::size_t hops = 0;                       // number of channels on the route
    std::vector<topology::ChannelId> channels;  // [hop * accelerators + accelerator]
  };

  // `topology` must outlive this object.
  RouteImages(const topology::Topology& topology, NodeId origin);

  // Adds a route of the origin with its images, indexed by the accelerator from which they start. The routes
  // must outlive this object. Returns false if they are not images of each other: their virtual channels,
  // bandwidths or latencies differ, two routes use the same channel or end at the same accelerator, or
  // different images of a channel, an ejection port or the route are already known.
  bool add(std::span<const topology::Route* const> images);

  NodeId origin() const { return origin_; }
  std::size_t accelerators() const { return accelerators_; }
  const Images& of(const topology::Route& route) const { return images_.at(&route); }
  // The ejection port of `accelerator` that is the image of port `at_origin` of the origin, where a route
  // ends.
  int ejection_port(NodeId accelerator, int at_origin) const;
  // The channels that a message's images use at hop number `hop` of their routes, indexed by accelerator;
  // empty for ejection.
  std::span<const topology::ChannelId> channels(const Images& images, std::size_t hop) const {
    if (hop >= images.hops) return {};
    return std::span(images.channels).subspan(hop * accelerators_, accelerators_);
  }

 private:
  struct Ejection {
    NodeId node;
    int port;
  };
  bool add_channels(const Images& images, topology::ChannelId first);
  bool add_ejections(std::span<const Ejection> images, int at_origin);

  const topology::Topology* topology_;
  NodeId origin_;
  std::size_t accelerators_;
  std::vector<topology::ChannelId> image_at_origin_;  // [channel]; -1 if the image is not known
  // [accelerator]: pairs of an ejection port and the origin's port whose image it is.
  std::vector<std::vector<std::pair<int, int>>> ejections_;
  std::unordered_map<const topology::Route*, Images> images_;  // key: route of the origin
};

}  // namespace coppice::fabric
