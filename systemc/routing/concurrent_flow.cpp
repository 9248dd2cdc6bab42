#include "routing/concurrent_flow.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "base/index.h"
#include "topology/routing/distances.h"

namespace coppice::routing {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

constexpr double kCloseEnough = 0.995;
// Distances count as equal if their relative difference is at most kTie.
constexpr double kTie = 1e-9;

class Rounds {
 public:
  explicit Rounds(const Topology& topology)
      : topology_(topology),
        distances_(topology),
        weights_(topology.channels().size(), 1.0),
        sums_(weights_.size(), 0.0),
        carried_(weights_.size(), 0.0) {}

  ConcurrentFlow run(int rounds) {
    ConcurrentFlow best;
    best.most = std::numeric_limits<double>::max();
    for (int round = 1; round <= rounds; ++round) {
      const std::vector<double> lengths = lengths_of(weights_);
      std::vector<double> loads(weights_.size(), 0.0);
      const double proven = send(lengths, &loads);
      if (proven < 0) return {};
      keep(best, lengths, proven);
      for (std::size_t e = 0; e < loads.size(); ++e) {
        carried_[e] += loads[e];
        sums_[e] += lengths[e];
      }
      best.most = std::min(best.most, busiest(carried_) / round);
      // After many rounds, the mean of the lengths of all rounds proves the best bound.
      if (round % 16 == 0) keep(best, sums_, send(sums_, nullptr) / round);
      if (best.least >= kCloseEnough * best.most) break;
      lengthen(loads, 1 / std::sqrt(static_cast<double>(round)));
    }
    return best;
  }

 private:
  double bandwidth(std::size_t channel) const { return topology_.channels()[channel].bandwidth.gb_per_s(); }

  static void keep(ConcurrentFlow& best, const std::vector<double>& lengths, double proven) {
    if (proven <= best.least) return;
    best.least = proven;
    best.lengths = lengths;
  }

  // Converts weights into lengths such that the sum of bandwidths times lengths is 1.
  std::vector<double> lengths_of(const std::vector<double>& weights) const {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> lengths;
    for (std::size_t e = 0; e < weights.size(); ++e) lengths.push_back(weights[e] / sum / bandwidth(e));
    return lengths;
  }

  // The time, in nanoseconds, that the busiest channel needs for its load; `loads` are in bytes.
  double busiest(const std::vector<double>& loads) const {
    double most = 0;
    for (std::size_t e = 0; e < loads.size(); ++e) most = std::max(most, loads[e] / bandwidth(e));
    return most;
  }

  // Sends one block per pair over its shortest paths and adds the flow to `loads` unless it is nullptr.
  // Returns the sum of all distances; negative if a pair is not connected.
  double send(const std::vector<double>& lengths, std::vector<double>* loads) const {
    double sum = 0;
    for (NodeId source = 0; source < topology_.num_accelerators(); ++source) {
      const std::vector<double> distance = distances_.of(source, std::span<const double>(lengths));
      for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
        if (distance[index(node)] == std::numeric_limits<double>::max()) return -1;
        sum += distance[index(node)];
      }
      if (loads != nullptr) add_loads(source, distance, lengths, *loads);
    }
    return sum;
  }

  // Processes nodes from the farthest node back to the source. The blocks that reach a node are distributed
  // equally over the last channels of all shortest paths to the node.
  void add_loads(NodeId source, const std::vector<double>& distance, const std::vector<double>& lengths,
                 std::vector<double>& loads) const {
    std::vector<NodeId> order(distance.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, std::greater<>{}, [&](NodeId node) { return distance[index(node)]; });
    std::vector<double> blocks(distance.size(), 0.0);
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) blocks[index(node)] = 1;
    for (const NodeId node : order) {
      if (node == source || blocks[index(node)] == 0) continue;
      std::vector<ChannelId> last;
      for (const ChannelId id : topology_.in_channels(node)) {
        const double before = distance[index(topology_.channel(id).src)];
        const bool nearer = before < distance[index(node)];  // the previous node is then processed later
        if (nearer && before + lengths[index(id)] <= distance[index(node)] * (1 + kTie)) last.push_back(id);
      }
      const double part = blocks[index(node)] / static_cast<double>(last.size());
      for (const ChannelId id : last) {
        loads[index(id)] += part;
        blocks[index(topology_.channel(id).src)] += part;
      }
    }
  }

  void lengthen(const std::vector<double>& loads, double rate) {
    const double most = busiest(loads);
    for (std::size_t e = 0; e < weights_.size(); ++e)
      weights_[e] *= std::exp(rate * loads[e] / bandwidth(e) / most);
    const double largest = *std::ranges::max_element(weights_);
    for (double& weight : weights_) weight = std::max(weight / largest, 1e-12);
  }

  const Topology& topology_;
  topology::Distances distances_;
  std::vector<double> weights_;  // [channel]
  std::vector<double> sums_;     // [channel]: sum of the lengths of all rounds
  std::vector<double> carried_;  // [channel]: total load of all rounds
};

}  // namespace

ConcurrentFlow approximate_all_to_all(const Topology& topology, int rounds) {
  if (topology.channels().empty()) return {};
  return Rounds(topology).run(rounds);
}

}  // namespace coppice::routing
