#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// The failed parts of a Clos network: spines, and links (both directions) between a ToR and a spine.
struct ClosFailures {
  std::vector<int> spines{};
  std::vector<std::pair<int, int>> links{};  // (ToR, spine)
  bool operator==(const ClosFailures&) const = default;
};

// Builds a two-level Clos network with dims [m, t, s]: t top-of-rack switches (ToRs) and s spines, with a
// link between every ToR and every spine. A ToR has m accelerators with one NIC each. The oversubscription is
// m times the bandwidth of level 0, divided by s times the bandwidth of level 1.
//
// ToR i is node m·t + i and holds accelerators m·i to m·i + m - 1; spine j is node m·t + t + j. Link level 0
// is between accelerators and ToRs, and level 1 between ToRs and spines. The ports of a ToR are its
// accelerators and then the live spines, in ascending order. The ports of a spine are the ToRs, in ascending
// order. Failed parts have no channels. A ToR without live spines remains in the network, but its
// accelerators can reach only each other. Throws UnsupportedError if it cannot use the given dims, links or
// failures.
Topology make_clos(std::span<const int> dims, std::span<const LinkSpec> links,
                   const ClosFailures& failures = {});

// A view of a Clos topology for assigning paths.
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

  // The channels between a ToR and a spine; -1 if the link has failed.
  ChannelId up(int tor, int spine) const { return up_[index(tor, spine)]; }
  ChannelId down(int spine, int tor) const { return down_[index(tor, spine)]; }

  // The route from one accelerator to NI port 0 of another over `spine`, on `vcs` virtual channels. `spine`
  // is ignored if the accelerators share a ToR. Throws ModelError if a channel of the route has failed.
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
