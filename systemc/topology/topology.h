#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace coppice::topology {

// The number of a node. Accelerators are numbered from 0 to n - 1; switches follow.
using NodeId = std::int32_t;
using ChannelId = std::int32_t;

inline constexpr NodeId kNoNode = -1;

// A directed connection from an output port of `src` to an input port of `dst`.
struct Channel {
  NodeId src = kNoNode;
  NodeId dst = kNoNode;
  Bandwidth bandwidth;
  Femtoseconds latency = 0;
  int dimension = 0;  // the channel's dimension; 0 if the topology has none
  int src_port = 0;   // index among the outgoing channels of `src`
  int dst_port = 0;   // index among the incoming channels of `dst`
};

enum class Kind {
  kTorus,
  kMesh,
  kRing,
  kFullyConnected,
  kSwitch,
  kFatTree,
  kBigraph,
  kClos,
  kDgx1,
  kHierarchy,
  kFile,
  kDragonfly,
  kHyperx,
};

// Returns the name that configurations use for the kind (kinds.h describes the kinds).
std::string_view to_string(Kind kind);

// The way in which the accelerators of a group are connected in one dimension of a kHierarchy.
enum class DimensionKind { kRing, kOneWayRing, kFullyConnected, kSwitch };

// Returns the name of the kind. One-way and bidirectional rings have the same name.
const char* to_string(DimensionKind kind);
constexpr bool is_ring(DimensionKind kind) {
  return kind == DimensionKind::kRing || kind == DimensionKind::kOneWayRing;
}

// A directed multigraph of accelerators and switches. Every node has a router. The router of an accelerator
// also has ports for the accelerator's network interface. These are not channels and are numbered after the
// channel ports.
class Topology {
 public:
  // Throws UnsupportedError if there are no accelerators. `dimension_kinds` is used only for a kHierarchy.
  Topology(Kind kind, std::vector<int> dims, int accelerators, int switches,
           std::vector<DimensionKind> dimension_kinds = {});

  // Adds a channel, which gets the next port number at both ends. Throws UnsupportedError if an end does not
  // exist, if both ends are the same node, if the bandwidth is not positive, or if the latency is negative.
  ChannelId add_channel(NodeId src, NodeId dst, Bandwidth bandwidth, Femtoseconds latency, int dimension = 0);

  Kind kind() const { return kind_; }
  const std::vector<int>& dims() const { return dims_; }
  // The kind of each dimension of a kHierarchy; empty for other kinds.
  const std::vector<DimensionKind>& dimension_kinds() const { return dimension_kinds_; }
  int num_accelerators() const { return accelerators_; }
  int num_switches() const { return num_nodes() - accelerators_; }
  int num_nodes() const { return static_cast<int>(out_.size()); }
  bool is_accelerator(NodeId node) const { return node < accelerators_; }

  // In a kHierarchy, makes the switches of the given dimensions reduce data (in-network reduction). They must
  // be the first `switches` switches and, like accelerators, have network interfaces.
  void reduce_in_network(std::vector<bool> dimensions, int switches);
  // For each dimension, whether its switches reduce; empty if no switches reduce.
  const std::vector<bool>& in_network() const { return in_network_; }
  // The number of nodes with a network interface: the accelerators and the reducing switches.
  int num_interfaces() const { return accelerators_ + adding_switches_; }
  bool has_interface(NodeId node) const { return node < num_interfaces(); }

  std::span<const Channel> channels() const { return channels_; }
  const Channel& channel(ChannelId id) const { return channels_[static_cast<std::size_t>(id)]; }
  std::span<const ChannelId> out_channels(NodeId node) const { return out_[static_cast<std::size_t>(node)]; }
  std::span<const ChannelId> in_channels(NodeId node) const { return in_[static_cast<std::size_t>(node)]; }

  // The coordinates of a node in a torus, mesh or ring. Dimension 0 varies fastest.
  std::vector<int> coordinates(NodeId node) const;
  NodeId node_at(std::span<const int> coordinates) const;

  // A name for output and error messages, such as "torus 8x8" or, if there are no dimensions, "file of 4
  // accelerators and 1 switches".
  std::string name() const;

 private:
  Kind kind_;
  std::vector<int> dims_;
  std::vector<DimensionKind> dimension_kinds_;
  int accelerators_;
  std::vector<bool> in_network_;
  int adding_switches_ = 0;
  std::vector<Channel> channels_;
  std::vector<std::vector<ChannelId>> out_;
  std::vector<std::vector<ChannelId>> in_;
};

// The bandwidth and latency of the channels along one dimension.
struct LinkSpec {
  Bandwidth bandwidth;
  Femtoseconds latency = 0;
};

// Build an n-dimensional torus or mesh. `links` has one entry per dimension. The outgoing channels of a node
// are, dimension by dimension, the channel towards higher coordinates and then the channel towards lower
// coordinates. A dimension of width 1 has no channels. A torus dimension of width 2 has two parallel channels
// in each direction, because both neighbours are the same node. Throw UnsupportedError if there is no
// dimension, if a width is below 1, or if `links` and `dims` differ in length.
Topology make_torus(std::span<const int> dims, std::span<const LinkSpec> links);
Topology make_mesh(std::span<const int> dims, std::span<const LinkSpec> links);

}  // namespace coppice::topology
