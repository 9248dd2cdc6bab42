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

// The routes of all accelerators in a run that looks the same from each of them, represented by the routes of
// one accelerator, the origin: a message that leaves the origin over a route represents an image from every
// accelerator at the same time, over equivalent channels. One image arrives at the origin.
//
// Channels have images as well. The images of a route's first channel are those of the channel that leaves
// the origin; the images of its other channels are those of the channels by which the route's image arrives
// at the origin. The origin's messages on these channels therefore show what all messages do on the images.
// Ejection ports have images, too: their numbers may differ between accelerators.
class RouteImages {
 public:
  struct Images {
    NodeId incoming_src = topology::kNoNode;  // source of the image that arrives at the origin
    const topology::Route* incoming = nullptr;
    std::size_t hops = 0;                       // number of channels
    std::vector<topology::ChannelId> channels;  // [hop * accelerators + accelerator]
  };

  // `topology` must outlive this object.
  RouteImages(const topology::Topology& topology, NodeId origin);

  // Adds a route of the origin with its images, indexed by the accelerator from which they start; they must
  // outlive this object. Returns false if they are not images: if virtual channels, bandwidths or latencies
  // differ, if two of them use one channel or end at one accelerator, or if different images of a channel, of
  // an ejection port or of the route are already known.
  bool add(std::span<const topology::Route* const> images);

  NodeId origin() const { return origin_; }
  std::size_t accelerators() const { return accelerators_; }
  const Images& of(const topology::Route& route) const { return images_.at(&route); }
  // The channels that a message's images use on hop number `hop` of its route, by accelerator; empty at
  // ejection.
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
  std::vector<topology::ChannelId> image_at_origin_;  // [channel]; -1: not known
  // [accelerator]: its ejection ports and those of which they are images.
  std::vector<std::vector<std::pair<int, int>>> ejections_;
  std::unordered_map<const topology::Route*, Images> images_;  // by the origin's route
};

}  // namespace coppice::fabric
