#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Failed parts of a Clos network: spines, and links between a ToR and a spine (both directions).
struct ClosFailures {
  std::vector<int> spines{};
  std::vector<std::pair<int, int>> links{};  // (ToR, spine)
  bool operator==(const ClosFailures&) const = default;
};

// dims [m, t, s]: a two-level Clos network of t top-of-rack switches (ToRs) and s spines, with a link between
// every ToR and every spine. A ToR has m accelerators with one NIC each. The oversubscription is m times the
// bandwidth of level 0 divided by s times that of level 1. ToR i is node m·t + i and holds accelerators m·i
// to m·i + m - 1; spine j is node m·t + t + j. Link levels: 0 between accelerators and ToRs, 1 between ToRs
// and spines. Ports of a ToR: accelerators, then live spines, in ascending order; ports of a spine: ToRs, in
// ascending order. Failed parts have no channels. A ToR without live spines remains in the network, but its
// accelerators can reach only each other. Throws UnsupportedError for dims, links or failures that it cannot
// use.
Topology make_clos(std::span<const int> dims, std::span<const LinkSpec> links,
                   const ClosFailures& failures = {});

// A view of a Clos topology for path assignment.
class Clos {
 public:
  // `topology` must be of kind kClos and outlive this object.
  explicit Clos(const Topology& topology);

  const Topology& topology() const { return *topology_; }
  int per_tor() const { return per_tor_; }
  int tors() const { return tors_; }
  int spines() const { return spines_; }
  int tor_of(NodeId accelerator) const { return accelerator / per_tor_; }
  NodeId tor_node(int tor) const { return topology_->num_accelerators() + tor; }
  NodeId spine_node(int spine) const { return topology_->num_accelerators() + tors_ + spine; }

  // The channel between a ToR and a spine; -1 if it has failed.
  ChannelId up(int tor, int spine) const { return up_[index(tor, spine)]; }
  ChannelId down(int spine, int tor) const { return down_[index(tor, spine)]; }

  // The route between two accelerators over `spine` (ignored if they share a ToR), on `vcs` virtual channels,
  // ejected at NI port 0. Throws ModelError if one of its channels has failed.
  Route route(NodeId src, NodeId dst, int spine, int vcs) const;

 private:
  std::size_t index(int tor, int spine) const {
    return static_cast<std::size_t>(tor) * static_cast<std::size_t>(spines_) +
           static_cast<std::size_t>(spine);
  }

  const Topology* topology_;
  int per_tor_;
  int tors_;
  int spines_;
  std::vector<ChannelId> up_;    // [tor * spines + spine]
  std::vector<ChannelId> down_;  // [tor * spines + spine]
};

}  // namespace coppice::topology
