#include "schedule/trees/bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/scheduled_trees.h"
#include "schedule/trees/translated_schedule.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// A part of the data. All parts move concurrently.
struct Part {
  std::vector<std::size_t> order;  // order of the dimensions
  bool upwards = true;
};

class Buckets {
 public:
  explicit Buckets(const Topology& topology) : topology_(topology), dims_(topology.dims()) {
    if (topology.kind() == topology::Kind::kRing) dims_ = {topology.num_accelerators()};
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (dims_[d] > 1) wide_.push_back(d);
    }
    for (const bool upwards : {true, false}) {
      for (std::size_t first = 0; first < wide_.size(); ++first) {
        Part& part = parts_.emplace_back(Part{wide_, upwards});
        std::rotate(part.order.begin(), part.order.begin() + static_cast<std::ptrdiff_t>(first),
                    part.order.end());
      }
    }
    if (parts_.empty()) parts_.emplace_back();
  }

  int pieces() const { return static_cast<int>(parts_.size()); }
  // If widths differ, parts may need the same port in one step.
  bool have_equal_widths() const {
    return std::ranges::all_of(wide_, [this](std::size_t d) { return dims_[d] == dims_[wide_.front()]; });
  }

  // The trees of the first `owners` accelerators.
  Trees trees(NodeId owners) const {
    const NodeId n = topology_.num_accelerators();
    Trees trees{.steps = n - 1, .pieces = pieces(), .trees = {}};
    for (NodeId owner = 0; owner < owners; ++owner) {
      for (const Part& part : parts_) {
        auto& tree = trees.trees.emplace_back();
        for (NodeId node = 0; node < n; ++node) {
          if (node != owner) tree.push_back(edge(part, owner, node));
        }
        std::ranges::stable_sort(tree, {}, &TreeEdge::step);
      }
    }
    return trees;
  }

 private:
  std::vector<int> coordinates(NodeId node) const {
    return dims_.size() == 1 ? std::vector<int>{node} : topology_.coordinates(node);
  }
  NodeId node_at(const std::vector<int>& at) const {
    return dims_.size() == 1 ? at.front() : topology_.node_at(at);
  }

  // Returns the edge by which `node` receives the data of `owner`. The edge is on the ring of the last
  // dimension in which the two accelerators differ. The data follows all data with a shorter path, in the
  // order in which the accelerators of the ring received the data.
  TreeEdge edge(const Part& part, NodeId owner, NodeId node) const {
    const std::vector<int> from = coordinates(owner);
    std::vector<int> at = coordinates(node);
    std::int32_t place = 0;    // position among the chunks that come from one accelerator of the ring
    std::int32_t brought = 1;  // number of chunks that come from one accelerator of the ring
    std::int32_t step = 0;
    std::size_t last = 0;
    for (const std::size_t d : part.order) {
      const int width = dims_[d];
      const int ahead = part.upwards ? at[d] - from[d] : from[d] - at[d];
      const int apart = (ahead + width) % width;
      if (apart > 0) {
        step = brought + (apart - 1) * brought + place;
        last = d;
      }
      place += apart * brought;
      brought *= width;
    }
    const int back = part.upwards ? -1 : 1;
    at[last] = (at[last] + back + dims_[last]) % dims_[last];
    const NodeId parent = node_at(at);
    return {.parent = parent,
            .child = node,
            .channel = channel_between(parent, node, part.upwards),
            .step = step};
  }

  // In a ring of two accelerators, two channels lead from each to the other, one for each direction around
  // the ring.
  ChannelId channel_between(NodeId src, NodeId dst, bool upwards) const {
    ChannelId found = -1;
    for (const ChannelId id : topology_.out_channels(src)) {
      if (topology_.channel(id).dst != dst) continue;
      if (found < 0 || !upwards) found = id;
    }
    return found;
  }

  const Topology& topology_;
  std::vector<int> dims_;
  std::vector<std::size_t> wide_;  // dimensions with at least two accelerators
  std::vector<Part> parts_;
};

// Whether the trees of accelerator 0 and their translations are stored.
bool rings_translate(const Topology& topology, const CompileRequest& request, const Buckets& buckets) {
  return buckets.have_equal_widths() && has_port_per_channel(topology, request) &&
         may_translate(topology, request, buckets.pieces());
}

double seconds_of_buckets(const Topology& topology, const CompileRequest& request) {
  const bool translated =
      topology.kind() == topology::Kind::kTorus && rings_translate(topology, request, Buckets(topology));
  return translated ? seconds_at(topology, 0.1, 1) : seconds_of_messages(topology, request);
}

}  // namespace

AlgorithmInfo BucketCompiler::info() {
  return {.name = "bucket",
          .summary = "rings over each dimension of a torus in turn, on all ports (ICS 2010)",
          .trials = {{.turn = 4, .seconds = seconds_of_buckets}}};
}

Schedule BucketCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  if (!topology::info_of(topology.kind()).wraps || topology.num_switches() > 0) {
    throw UnsupportedError(
        fmt::format("bucket needs the rings of a torus, which {} does not have: use ring or packed_trees",
                    topology.name()));
  }
  const Buckets buckets(topology);
  if (rings_translate(topology, request, buckets)) {
    Trees trees = buckets.trees(1);
    trees.root = 0;
    return schedule_translations(topology, request, info().name, trees);
  }
  require_memory_for_trees(info().name, topology.num_accelerators(), request);
  return schedule_trees(topology, request, info().name, buckets.trees(topology.num_accelerators()));
}

}  // namespace coppice::schedule
