#include "schedule/all_to_all/all_to_all.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/index.h"
#include "schedule/all_to_all/balanced_exchange.h"
#include "schedule/compile/table_builder.h"
#include "schedule/rings/ring_order.h"
#include "schedule/vendor/boxes.h"
#include "topology/networks/dimension_widths.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

Send message(int flow, NodeId src, NodeId dst, int step) {
  return {.op = Op::kGather, .flow = flow, .src = src, .dst = dst, .step = step};
}

// Makes an exchange in which each accelerator sends to partner(accelerator, s) in step s.
template <typename Partner>
BlockExchange in_steps(int n, Partner partner) {
  BlockExchange exchange;
  for (int step = 1; step < n; ++step) {
    for (NodeId node = 0; node < n; ++node) {
      const NodeId to = partner(node, step);
      exchange.sends.push_back(message(node * n + to, node, to, step));
    }
  }
  return exchange;
}

double messages_of_blocks(const Topology& topology) {
  const double n = topology.num_accelerators();
  return n * (n - 1);
}

BlockExchange direct(const Topology& topology, Bytes /*elements*/) {
  const int n = topology.num_accelerators();
  return in_steps(n, [n](NodeId node, int step) { return (node + step) % n; });
}

// Every port sends in the same order as in direct(), but does not wait for the steps of other ports.
BlockExchange at_once(const Topology& topology, Bytes elements) {
  BlockExchange exchange = direct(topology, elements);
  exchange.even = false;
  return exchange;
}

BlockExchange pairwise(const Topology& topology, Bytes /*elements*/) {
  const int n = topology.num_accelerators();
  if (!std::has_single_bit(static_cast<unsigned>(n))) {
    throw UnsupportedError(
        fmt::format("pairwise needs a power-of-two number of accelerators, not {}: use direct", n));
  }
  return in_steps(n, [](NodeId node, int step) { return node ^ step; });
}

double messages_around(const Topology& topology) {
  const double n = topology.num_accelerators();
  const double half = std::floor(n / 2);
  const double other = std::floor((n - 1) / 2);
  return n * (half * (half + 1) + other * (other + 1)) / 2;
}

// Blocks move from neighbour to neighbour around the ring, half of them in each direction. Blocks that travel
// the farthest go first.
BlockExchange around(const Topology& topology, Bytes /*elements*/) {
  const std::vector<NodeId> ring = ring_order(topology).nodes;
  const int n = static_cast<int>(ring.size());
  BlockExchange exchange;
  const auto at = [&](int position) { return ring[index((position % n + n) % n)]; };
  for (const int way : {1, -1}) {
    int first = 1;
    for (int distance = way == 1 ? n / 2 : (n - 1) / 2; distance > 0; --distance) {
      for (int from = 0; from < n; ++from) {
        const int flow = at(from) * n + at(from + way * distance);
        for (int hop = 0; hop < distance; ++hop) {
          exchange.sends.push_back(
              message(flow, at(from + way * hop), at(from + way * (hop + 1)), first + hop));
        }
      }
      first += distance;
    }
  }
  return exchange;
}

double messages_through_dimensions(const Topology& topology) {
  const double n = topology.num_accelerators();
  double messages = 0;
  for (const int width : topology::dimension_widths(topology)) messages += n * n * (width - 1) / width;
  return messages;
}

// In each dimension, a block moves to the accelerator that has the destination's coordinate in this dimension
// and the block's current coordinates in all other dimensions. An accelerator first sends all its blocks for
// the accelerator at distance 1, then all blocks for the accelerator at distance 2, and so on.
BlockExchange through_dimensions(const Topology& topology, Bytes /*elements*/) {
  const std::vector<int> widths = topology::dimension_widths(topology);
  if (widths.empty()) {
    throw UnsupportedError(
        fmt::format("hierarchical moves blocks dimension by dimension, but {} has no dimensions: use direct",
                    topology.name()));
  }
  const int n = topology.num_accelerators();
  BlockExchange exchange;
  int before = 0;  // number of steps in the previous dimensions
  int stride = 1;
  for (const int width : widths) {
    // The number of blocks that an accelerator has for each other accelerator along the dimension.
    const int carried = n / width;
    for (NodeId node = 0; node < n; ++node) {
      const int own = node / stride % width;
      for (int shift = 1; shift < width; ++shift) {
        const int there = (own + shift) % width;
        const NodeId to = node + (there - own) * stride;
        // The sources of these blocks have the same coordinates as this accelerator in the remaining
        // dimensions; the destinations have the same coordinates in the finished dimensions.
        for (int k = 0; k < carried; ++k) {
          const int low = k % stride;
          const int high = k / stride;
          const int source = low + node / stride * stride;
          const int destination = node % stride + there * stride + high * stride * width;
          exchange.sends.push_back(
              message(source * n + destination, node, to, before + (shift - 1) * carried + k + 1));
        }
      }
    }
    before += (width - 1) * carried;
    stride *= width;
  }
  return exchange;
}

double messages_over_rails(const Topology& topology) {
  const Boxes boxes = find_boxes(topology);
  const double inside = (boxes.size() - 1.0) * boxes.count();
  const double over_rails = (boxes.count() - 1.0) * boxes.size();
  return topology.num_accelerators() * (inside + over_rails);
}

// Every accelerator forwards the blocks of its box that are for accelerators on its rail. It forwards its own
// block first and then the blocks of the other ranks in the order in which they arrive.
BlockExchange over_rails(const Topology& topology, Bytes /*elements*/) {
  const Boxes boxes = find_boxes(topology);
  if (boxes.count() == 1) {
    throw UnsupportedError(
        fmt::format("pxn forwards blocks between boxes of accelerators, but {} is a single box: use direct",
                    topology.name()));
  }
  const int n = topology.num_accelerators();
  const int size = boxes.size();
  BlockExchange exchange;
  exchange.even = false;
  const auto send = [&](NodeId source, NodeId destination, NodeId from, NodeId to, int step) {
    exchange.sends.push_back(message(source * n + destination, from, to, step));
  };
  for (int box = 0; box < boxes.count(); ++box) {
    for (int rank = 0; rank < size; ++rank) {
      const NodeId self = boxes.at(box, rank);
      for (int distance = 1; distance <= boxes.count(); ++distance) {
        const int there = (box + distance) % boxes.count();
        const int first = (distance - 1) * size + 1;
        for (int shift = 1; shift < size; ++shift) {
          const int rail = (rank + shift) % size;
          send(self, boxes.at(there, rail), self, boxes.at(box, rail), first + shift - 1);
        }
        if (there == box) continue;
        for (int shift = 0; shift < size; ++shift) {
          const NodeId source = boxes.at(box, rank - shift + size);
          send(source, boxes.at(there, rank), self, boxes.at(there, rank), first + shift);
        }
      }
    }
  }
  return exchange;
}

// Returns the total number of hops of all blocks on shortest paths.
double messages_between_neighbours(const Topology& topology) {
  const topology::KindInfo& info = topology::info_of(topology.kind());
  if (!info.grid) return 0;
  double messages = 0;
  for (const int width : topology.dims()) {
    const double rows = static_cast<double>(topology.num_accelerators()) / width;
    for (int a = 0; a < width; ++a) {
      for (int b = 0; b < width; ++b) {
        const int way = std::abs(a - b);
        messages += rows * rows * (info.wraps ? std::min(way, width - way) : way);
      }
    }
  }
  return messages;
}

}  // namespace

std::span<const AllToAllAlgorithm> all_to_all_algorithms() {
  static const std::array<AllToAllAlgorithm, 7> all{{
      {"direct", "", messages_of_blocks, direct, true},
      {"at_once", "all-to-all: sends all blocks directly to their accelerators, without steps",
       messages_of_blocks, at_once},
      {"pairwise",
       "all-to-all: exchanges in step s with the accelerator whose number differs in the bits of s",
       messages_of_blocks, pairwise, true},
      {"ring", "", messages_around, around},
      {"hierarchical", "", messages_through_dimensions, through_dimensions},
      {"pxn", "all-to-all: moves blocks between boxes and changes rails in the sender's box (NCCL's PXN)",
       messages_over_rails, over_rails},
      {"balanced",
       "all-to-all: forwards between neighbours of a torus or mesh and loads all channels equally",
       messages_between_neighbours, balanced_exchange},
  }};
  return all;
}

Schedule compile_all_to_all(const Topology& topology, const CompileRequest& request,
                            const AllToAllAlgorithm& algorithm) {
  const Bytes blocks = Bytes{topology.num_accelerators()} * topology.num_accelerators();
  const Bytes elements = request.size / blocks / request.element;
  BlockExchange exchange = algorithm.exchange(topology, elements);
  for (Send& send : exchange.sends) {
    if (send.channel >= 0) continue;
    for (const auto id : topology.out_channels(send.src)) {
      if (topology.channel(id).dst == send.dst) send.channel = id;
    }
  }
  std::vector<Chunk> flows;
  for (Bytes block = 0; block < blocks; ++block) {
    for (int part = 0; part < exchange.parts; ++part) {
      const Bytes begin = elements * part / exchange.parts;
      const Bytes end = elements * (part + 1) / exchange.parts;
      flows.push_back({(block * elements + begin) * request.element, (end - begin) * request.element});
    }
  }
  return build_schedule(topology, request, "all_to_all_" + algorithm.name, flows, exchange.sends, {},
                        exchange.even ? IdleSteps::kNops : IdleSteps::kNothing);
}

}  // namespace coppice::schedule
