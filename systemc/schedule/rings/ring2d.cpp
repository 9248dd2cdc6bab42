#include "schedule/rings/ring2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/table_builder.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// The rings along one dimension in one direction.
class Rings {
 public:
  Rings(const Topology& topology, std::size_t dimension, bool upwards)
      : topology_(topology), dimension_(dimension), upwards_(upwards), width_(topology.dims()[dimension]) {}

  int width() const { return width_; }

  // Returns the node at the first position of each ring.
  std::vector<NodeId> starts() const {
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < topology_.num_nodes(); ++node) {
      if (topology_.coordinates(node)[dimension_] == 0) nodes.push_back(node);
    }
    return nodes;
  }

  std::vector<NodeId> nodes_from(NodeId start) const {
    std::vector<NodeId> nodes;
    std::vector<int> at = topology_.coordinates(start);
    for (int i = 0; i < width_; ++i) {
      at[dimension_] = upwards_ ? i : (width_ - i) % width_;
      nodes.push_back(topology_.node_at(at));
    }
    return nodes;
  }

  // Returns the channel from `src` to the next node of its ring. If the dimension has several channels
  // between the two nodes, the first leads up and the last leads down.
  ChannelId channel(NodeId src, NodeId dst) const {
    ChannelId found = -1;
    for (const ChannelId id : topology_.out_channels(src)) {
      if (topology_.channel(id).dst == dst && (found < 0 || !upwards_)) found = id;
    }
    return found;
  }

 private:
  const Topology& topology_;
  std::size_t dimension_;
  bool upwards_;
  int width_;
};

// A ring all-reduce of every chunk in a part of the data, concurrently in all rings, after timestep `before`.
struct Phase {
  const Rings& rings;
  int chunks;         // number of chunks in the part
  std::int32_t flow;  // flow of the first chunk in the part
  int before;

  void send(std::vector<Send>& sends) const {
    const int k = rings.width();
    const int each = chunks / k;  // number of chunks that end at the same position
    for (const NodeId start : rings.starts()) {
      const std::vector<NodeId> ring = rings.nodes_from(start);
      std::vector<ChannelId> onward;
      for (int i = 0; i < k; ++i) onward.push_back(rings.channel(at(ring, i), at(ring, i + 1)));
      for (int chunk = 0; chunk < chunks; ++chunk) {
        const int owner = chunk / each;
        const auto pass = [&](Op op, int from, int hop) {
          sends.push_back({.op = op,
                           .flow = flow + chunk,
                           .src = at(ring, from),
                           .dst = at(ring, from + 1),
                           .step = before + hop * each + chunk % each + 1,
                           .channel = onward[static_cast<std::size_t>(from % k)]});
        };
        for (int hop = 0; hop < k - 1; ++hop) {
          pass(Op::kReduce, owner + 1 + hop, hop);
          pass(Op::kGather, owner + hop, k - 1 + hop);
        }
      }
    }
  }

 private:
  static NodeId at(const std::vector<NodeId>& ring, int position) {
    return ring[static_cast<std::size_t>(position) % ring.size()];
  }
};

std::array<std::size_t, 2> wide_dimensions(const Topology& topology) {
  std::vector<std::size_t> wide;
  if (topology::info_of(topology.kind()).grid) {
    for (std::size_t d = 0; d < topology.dims().size(); ++d) {
      if (topology.dims()[d] > 1) wide.push_back(d);
    }
  }
  if (wide.size() != 2) {
    throw UnsupportedError(fmt::format(
        "ring2d needs a torus or mesh with two dimensions wider than 1, not {}", topology.name()));
  }
  return {wide[0], wide[1]};
}

// Only the timesteps, which count flits, keep columns behind their rows. With unequal links, accelerators
// would get out of step by more than the time of a message, and the sum of a row could overwrite the sum of a
// column.
void require_equal_links(const Topology& topology) {
  const auto& first = topology.channels().front();
  for (const topology::Channel& channel : topology.channels()) {
    if (channel.bandwidth != first.bandwidth || channel.latency != first.latency) {
      throw UnsupportedError(
          "ring2d needs links of equal bandwidth and latency, which keep its rows and columns in step: use "
          "multitree or ring for unequal links");
    }
  }
}

}  // namespace

AlgorithmInfo Ring2dCompiler::info() {
  return {.name = "ring2d",
          .summary = "rings along the rows, then the columns, of a 2D torus or mesh (all_reduce)",
          .trials = {{.turn = 4, .seconds = [](const Topology& topology, const CompileRequest&) {
                        return seconds_at(topology, 0.15, 2.1);
                      }}}};
}

Schedule Ring2dCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const auto dimensions = wide_dimensions(topology);
  if (request.collective != Collective::kAllReduce) {
    throw UnsupportedError(
        fmt::format("ring2d supports only all_reduce, not {}: use ring", to_string(request.collective)));
  }
  require_equal_links(topology);
  std::vector<bool> ways{true};
  if (topology::info_of(topology.kind()).wraps) ways.push_back(false);
  const int chunks = std::lcm(topology.dims()[dimensions[0]], topology.dims()[dimensions[1]]);
  const auto steps_along = [&](std::size_t d) { return 2 * (chunks - chunks / topology.dims()[d]); };
  const std::int64_t steps = steps_along(dimensions[0]) + steps_along(dimensions[1]);
  require_memory(info().name, topology.num_accelerators() * steps, machine_memory());
  const int second_phase = std::max(steps_along(dimensions[0]), steps_along(dimensions[1]));
  std::vector<Send> sends;
  std::int32_t flow = 0;
  for (const bool upwards : ways) {
    for (const std::size_t first : {0U, 1U}) {
      const Rings along_first(topology, dimensions[first], upwards);
      const Rings along_second(topology, dimensions[1 - first], upwards);
      Phase{along_first, chunks, flow, 0}.send(sends);
      Phase{along_second, chunks, flow, second_phase}.send(sends);
      flow += chunks;
    }
  }
  Schedule schedule = build_schedule(topology, request, info().name,
                                     split_into_chunks(request.size, request.element, flow), sends);
  schedule.ordered_by_lockstep = true;
  return schedule;
}

}  // namespace coppice::schedule
