#include "schedule/packed_trees/link_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "schedule/packed_trees/link_packing.h"
#include "schedule/packed_trees/piece_choice.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr int kMostTrees = 96;
constexpr int kMostTreeNodes = 4'200;      // limit on the total number of nodes of all trees
constexpr int kLeastTrees = 16;            // number of trees allowed regardless of kMostTreeNodes
constexpr std::size_t kPackedChoices = 3;  // number of choices that are packed, not only estimated
constexpr double kApart = 1.45;            // minimum ratio between tree counts that are packed
constexpr double kLeastShare = 0.95;  // minimum link utilization, relative to that of the best tree count
constexpr std::int64_t kExchangesPerNode = 50;
constexpr std::int64_t kMostExchanges = 500'000;

struct Estimate {
  int trees = 0;
  int pieces = 1;
  double ns = std::numeric_limits<double>::infinity();
};

// Estimates the time of a collective for a given number of trees.
class Estimator {
 public:
  Estimator(const Topology& topology, const CompileRequest& request, std::span<const SymmetricLink> links)
      : topology_(topology), request_(request), links_(links), timing_(topology, request) {
    for (const SymmetricLink& link : links) {
      hop_ns_.push_back(static_cast<double>(timing_.delay({&link.there, 1}, Op::kReduce)) /
                        kFemtosecondsPerNanosecond);
    }
    radius_ = central_nodes(topology.num_accelerators(), links, hop_ns_).radius_ns;
    const double mean = hop_ns_.empty() ? 1 : std::ranges::max(hop_ns_);
    levels_ = mean > 0 ? std::max(1.0, std::ceil(radius_ / mean)) : 1;
  }

  std::span<const double> hop_ns() const { return hop_ns_; }

  // The lowest estimate for `trees` trees with `congestion` (LinkPacking::ns_per_byte) over all numbers of
  // pieces: one period per piece, plus a round trip through a tree, minus the part that other trees hide
  // (kHidden).
  Estimate best(int trees, double congestion) const {
    Estimate best;
    for (const int pieces : piece_counts(request_, topology_.num_accelerators(), trees)) {
      const Bytes each = Bytes{trees} * pieces;
      const Bytes piece = std::max<Bytes>((request_.size + each - 1) / each, request_.element);
      double period = 0;
      double busy = 0;
      for (const SymmetricLink& link : links_) {
        const double once = static_cast<double>(timing_.busy(link.there, piece)) / kFemtosecondsPerNanosecond;
        const double rate = topology_.channel(link.there).bandwidth.gb_per_s();
        period = std::max(period, once * std::floor(congestion * rate * (1 + 1e-12)));
        busy = std::max(busy, congestion * rate >= 1 ? once : 0);
      }
      const double length = 2 * (radius_ + levels_ * busy);
      const double ns = pieces * period + length - kHidden * std::min(period, length);
      if (ns < best.ns) best = {trees, pieces, ns};
    }
    return best;
  }

 private:
  const Topology& topology_;
  const CompileRequest& request_;
  std::span<const SymmetricLink> links_;
  MessageTiming timing_;
  std::vector<double> hop_ns_;
  double radius_ = 0;
  double levels_ = 1;
};

// Estimates, lowest first, for numbers of trees that may use the links better than any smaller number, and
// for multiples of these numbers that use the links about equally well.
std::vector<Estimate> promising(const Topology& topology, const CompileRequest& request,
                                std::span<const SymmetricLink> links, const Estimator& estimator) {
  const Bytes elements = std::max<Bytes>(request.size / request.element, 1);
  const int limit = std::clamp(kMostTreeNodes / topology.num_accelerators(), kLeastTrees, kMostTrees);
  const auto most =
      static_cast<int>(std::max<Bytes>(std::min<Bytes>(limit, elements / std::max(request.chunks, 1)), 1));
  std::vector<double> congestion{0};  // [number of trees]: lower bound on the congestion
  std::vector<int> counts;
  double least = std::numeric_limits<double>::infinity();  // least congestion per tree
  for (int trees = 1; trees <= most; ++trees) {
    congestion.push_back(congestion_bound_ns(topology, links, trees));
    if (congestion.back() / trees > least * (1 - 1e-9)) continue;
    least = congestion.back() / trees;
    counts.push_back(trees);
  }
  const std::size_t records = counts.size();
  for (std::size_t i = 0; i < records; ++i) {
    for (int trees = 2 * counts[i]; trees <= most; trees *= 2) counts.push_back(trees);
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<Estimate> choices;
  for (const int trees : counts) {
    const double each = congestion[static_cast<std::size_t>(trees)] / trees;
    if (trees == 1 || least / each > kLeastShare) choices.push_back(estimator.best(trees, each * trees));
  }
  std::ranges::stable_sort(choices, {}, &Estimate::ns);
  return choices;
}

// The tree's hops: first the reductions from the leaves to the root, then the gathers back to the leaves.
PackedTree to_hops(const RootedTree& tree, std::span<const SymmetricLink> links) {
  std::vector<std::vector<NodeId>> children(tree.parent.size());
  for (std::size_t node = 0; node < tree.parent.size(); ++node) {
    if (tree.parent[node] == topology::kNoNode) continue;
    children[static_cast<std::size_t>(tree.parent[node])].push_back(static_cast<NodeId>(node));
  }
  std::vector<NodeId> order{tree.root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const NodeId child : children[static_cast<std::size_t>(order[i])]) order.push_back(child);
  }
  PackedTree packed{tree.root, {}};
  const auto add = [&](Op op, NodeId node) {
    const auto at = static_cast<std::size_t>(node);
    const SymmetricLink& link = links[static_cast<std::size_t>(tree.link[at])];
    const NodeId src = op == Op::kReduce ? node : tree.parent[at];
    packed.hops.push_back({op, src, link.other_end(src), {link.from(src)}});
  };
  for (std::size_t i = order.size(); i-- > 1;) add(Op::kReduce, order[i]);
  for (std::size_t i = 1; i < order.size(); ++i) add(Op::kGather, order[i]);
  return packed;
}

}  // namespace

std::vector<TreeChoice> choose_link_trees(const Topology& topology, const CompileRequest& request,
                                          std::span<const SymmetricLink> links) {
  const Estimator estimator(topology, request, links);
  std::vector<Estimate> choices = promising(topology, request, links, estimator);
  std::vector<TreeChoice> result;
  const auto much_like = [](int trees, const TreeChoice& other) {
    const double ratio = static_cast<double>(other.trees.size()) / trees;
    return ratio < kApart && ratio > 1 / kApart;
  };
  for (const Estimate& choice : choices) {
    if (result.size() == kPackedChoices || choice.ns > kWorthTrying * choices.front().ns) break;
    if (std::ranges::any_of(result,
                            [&](const TreeChoice& other) { return much_like(choice.trees, other); })) {
      continue;
    }
    LinkPacking packing = least_congestion(topology, links, choice.trees);
    if (packing.copies.empty()) {
      throw UnsupportedError("packed_trees: the channels of " + topology.name() +
                             " do not connect all accelerators");
    }
    const std::int64_t nodes = std::int64_t{choice.trees} * topology.num_accelerators();
    shape_trees(topology, links, estimator.hop_ns(), std::min(kExchangesPerNode * nodes, kMostExchanges),
                request.seed, choice.trees, packing);
    const Estimate packed = estimator.best(choice.trees, packing.ns_per_byte);
    result.push_back({{}, packed.pieces, packed.ns * kFemtosecondsPerNanosecond});
    for (const RootedTree& tree : packing.trees) result.back().trees.push_back(to_hops(tree, links));
  }
  return result;
}

}  // namespace coppice::schedule
