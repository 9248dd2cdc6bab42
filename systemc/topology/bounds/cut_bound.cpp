#include "topology/bounds/cut_bound.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "topology/connectivity.h"

namespace coppice::topology {
namespace {

using Vertex = FlowNetwork::Vertex;

Direction opposite(Direction direction) {
  return direction == Direction::kOut ? Direction::kIn : Direction::kOut;
}

std::vector<NodeId> members(const std::vector<bool>& inside) {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < static_cast<NodeId>(inside.size()); ++node) {
    if (inside[index(node)]) nodes.push_back(node);
  }
  return nodes;
}

// Finds the set with the largest ratio of shares to bandwidth. No candidate set contains all accelerators.
// Let `missed` be the first accelerator, in a fixed order, that a set lacks, so that the set contains all
// accelerators before it. Flow is pushed from `missed`, against the direction of the data. It must equal the
// sum of all shares that `missed` lacks, where accelerators before `missed` accept any amount of flow and
// those after it accept at most their shares. The channels are scaled so that the worst set found so far just
// satisfies this condition. A worse set exists if and only if the flow falls short.
class WorstCutSearch {
 public:
  WorstCutSearch(const Topology& topology, Direction direction, std::span<const std::int64_t> shares)
      : network_(topology, opposite(direction)) {
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      shares_.push_back(shares.empty() ? 1 : shares[index(node)]);
    }
    for (const std::int64_t share : shares_) unit_ = std::gcd(unit_, share);
    for (std::int64_t& share : shares_) total_ += share /= unit_;
    const auto largest = std::ranges::max_element(shares_) - shares_.begin();
    order_ = network_.near_to_far(static_cast<Vertex>(largest), topology.num_accelerators());
  }

  // Runs the search. `narrowest_cut` is the bandwidth of the narrowest cut of the network, in bytes per
  // second.
  CutBound run(std::int64_t narrowest_cut) {
    start();
    const Capacity narrowest = narrowest_cut / network_.unit_bytes_per_second();
    // No set contains all accelerators, and the bandwidth out of any set is at least that of the narrowest
    // cut.
    const std::int64_t most = total_ - *std::ranges::min_element(shares_);
    const bool proven = best_data_ * narrowest >= most * best_bandwidth_;
    if (proven || static_cast<int>(order_.size()) > kMaxCutAccelerators) done_ = order_.size();
    for (; done_ < order_.size(); ++done_) {
      while (!holds(order_[done_])) narrow();
      network_.room(order_[done_]) = network_.unlimited();
    }
    return {.data = best_data_ * unit_,
            .bytes_per_second = static_cast<std::int64_t>(best_bandwidth_ * network_.unit_bytes_per_second()),
            .cut = members(inside_)};
  }

 private:
  std::int64_t lacks(Vertex accelerator) const { return total_ - shares_[index(accelerator)]; }

  // Starts with the set of all accelerators except the one that is hardest to reach, because this is often
  // the worst set.
  void start() {
    Vertex hardest = order_.front();
    for (const Vertex node : order_) {
      if (lacks(node) * network_.exit_capacity(hardest) > lacks(hardest) * network_.exit_capacity(node)) {
        hardest = node;
      }
    }
    inside_.assign(index(network_.num_vertices()), true);
    inside_[index(hardest)] = false;
    best_data_ = lacks(hardest);
    best_bandwidth_ = network_.exit_capacity(hardest);
    scale();
  }

  // Scales the channels by the data of the worst set so far, and the shares by its bandwidth. Accelerators
  // before the current one accept any amount of flow.
  void scale() {
    network_.reset(best_data_);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      network_.room(order_[i]) =
          i < done_ ? network_.unlimited() : best_bandwidth_ * shares_[index(order_[i])];
    }
  }

  // Returns true if the worst set so far remains the worst, that is, if no set is worse that leaves out
  // `missed` but contains all accelerators before it in order_.
  bool holds(Vertex missed) {
    const Capacity needed = best_bandwidth_ * lacks(missed);
    network_.room(missed) = 0;
    const Capacity sent = network_.push(missed, needed);
    if (sent == needed) {
      network_.withdraw(sent);
      return true;
    }
    return false;
  }

  // Records the set that limited the last flow as the worst set so far.
  void narrow() {
    std::vector<bool> outside(inside_.size());
    for (const Vertex vertex : network_.reached()) outside[index(vertex)] = true;
    best_data_ = 0;
    for (const Vertex node : order_) best_data_ += outside[index(node)] ? 0 : shares_[index(node)];
    best_bandwidth_ = network_.exit_capacity(outside);
    for (std::size_t v = 0; v < outside.size(); ++v) inside_[v] = !outside[v];
    scale();
  }

  FlowNetwork network_;
  std::vector<std::int64_t> shares_;  // in units of the network
  std::int64_t unit_ = 0;
  std::int64_t total_ = 0;
  std::vector<Vertex> order_;
  std::size_t done_ = 0;
  std::vector<bool> inside_;
  std::int64_t best_data_ = 0;
  Capacity best_bandwidth_ = 0;
};

}  // namespace

CutBound worst_cut(const Topology& topology, Direction direction, std::span<const std::int64_t> shares) {
  if (topology.num_accelerators() == 1) return {};
  require_connected(topology);
  return WorstCutSearch(topology, direction, shares).run(narrowest_cut(topology).bytes_per_second);
}

CutBound narrowest_cut(const Topology& topology) {
  if (topology.num_accelerators() == 1) return {};
  require_connected(topology);
  Capacity least = 0;
  std::vector<bool> narrowest;
  std::int64_t unit = 0;
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    FlowNetwork network(topology, direction);
    if (direction == Direction::kIn && network.symmetric()) break;
    unit = network.unit_bytes_per_second();
    const bool out = direction == Direction::kOut;
    const auto order = network.near_to_far(0, topology.num_accelerators());
    for (const Vertex node : order) {
      if (!narrowest.empty() && network.exit_capacity(node) >= least) continue;
      least = network.exit_capacity(node);
      narrowest.assign(index(network.num_vertices()), !out);
      narrowest[index(node)] = out;
    }
    if (topology.num_accelerators() > kMaxCutAccelerators) continue;
    // Sets without the first accelerator are grouped by the first accelerator that they contain, so that all
    // sets of a group lack the accelerators before it.
    network.room(order.front()) = network.unlimited();
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Capacity sent = network.push(order[i], least);
      if (sent < least) {
        least = sent;
        narrowest.assign(index(network.num_vertices()), !out);
        for (const Vertex vertex : network.reached()) narrowest[index(vertex)] = out;
      }
      network.withdraw(sent);
      network.room(order[i]) = network.unlimited();
    }
  }
  return {.data = 1, .bytes_per_second = static_cast<std::int64_t>(least * unit), .cut = members(narrowest)};
}

}  // namespace coppice::topology
