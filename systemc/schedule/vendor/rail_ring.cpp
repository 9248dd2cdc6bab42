#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/table_builder.h"
#include "schedule/vendor/boxes.h"
#include "schedule/vendor/piece_search.h"
#include "schedule/vendor/vendor_compilers.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

// The path of a rail's ring through a box, as ranks relative to the rank of the rail.
enum class Way : std::uint8_t {
  // 0, 1, 2, ...: on all rails, every rank sends to the next rank, so that no rank waits for a receiver.
  kInTurn,
  // 0, 1, -1, 2, -2, ...: if the number of ranks is even, all rails together use every link once in each
  // direction.
  kZigzag,
};

int rank_on_way(Way way, int rail, int i) {
  if (way == Way::kInTurn) return rail + i;
  return i % 2 == 1 ? rail + (i + 1) / 2 : rail - i / 2;
}

// Returns all accelerators in the order of a rail's ring. Every second box is traversed in the opposite
// direction, so that the ring enters each box on the rail on which it left the previous box.
std::vector<NodeId> ring_of(const Boxes& boxes, Way way, int rail) {
  std::vector<NodeId> ring;
  const int size = boxes.size();
  for (int box = 0; box < boxes.count(); ++box) {
    for (int i = 0; i < size; ++i) {
      const int place = box % 2 == 0 ? i : size - 1 - i;
      ring.push_back(boxes.at(box, rank_on_way(way, rail, place) + size));
    }
  }
  return ring;
}

std::vector<std::vector<NodeId>> rings_of(const Topology& topology) {
  constexpr int kMostLinked = 16;
  const Boxes boxes = find_boxes(topology);
  std::vector<std::vector<NodeId>> rings;
  if (boxes.count() == 1 && boxes.size() <= kMostLinked && fully_connected(topology)) {
    rings = directed_rings(boxes.size());
    if (!rings.empty()) return rings;  // for 4 and 6 accelerators, no set of rings uses every link once
  }
  const bool linked = find_channel(topology, boxes.at(0, 0), boxes.at(0, boxes.size() - 1)) >= 0;
  const Way way = linked ? Way::kZigzag : Way::kInTurn;
  const int rails = boxes.count() > 1 ? boxes.size() : 1;
  for (int rail = 0; rail < rails; ++rail) rings.push_back(ring_of(boxes, way, rail));
  return rings;
}

class RingSends {
 public:
  explicit RingSends(const Topology& topology) : topology_(topology) {}

  void add(Op op, int flow, NodeId src, NodeId dst, int step) {
    sends_.push_back({.op = op,
                      .flow = flow,
                      .src = src,
                      .dst = dst,
                      .step = step,
                      .channel = find_channel(topology_, src, dst)});
  }
  std::vector<Send> take() { return std::move(sends_); }

 private:
  const Topology& topology_;
  std::vector<Send> sends_;
};

Schedule compile_rings(const Topology& topology, const CompileRequest& request,
                       const std::vector<std::vector<NodeId>>& rings) {
  const int n = topology.num_accelerators();
  const int count = static_cast<int>(rings.size());
  const bool reduces = request.collective != Collective::kAllGather;
  const bool gathers = request.collective != Collective::kReduceScatter;
  RingSends sends(topology);
  for (int r = 0; r < count; ++r) {
    const auto at = [&](int position) {
      return rings[static_cast<std::size_t>(r)][static_cast<std::size_t>(position % n)];
    };
    for (int position = 0; position < n; ++position) {
      const int flow = at(position) * count + r;
      for (int s = 1; reduces && s < n; ++s) {
        sends.add(Op::kReduce, flow, at(position + s), at(position + s + 1), s);
      }
      for (int s = 1; gathers && s < n; ++s) {
        sends.add(Op::kGather, flow, at(position + s - 1), at(position + s), (reduces ? n - 1 : 0) + s);
      }
    }
  }
  std::vector<Chunk> flows;
  for (const Chunk& chunk : split_into_chunks(request.size, request.element, n)) {
    for (const Chunk& piece : split_into_chunks(chunk.bytes, request.element, count)) {
      flows.push_back({.address = chunk.address + piece.address, .bytes = piece.bytes});
    }
  }
  return build_schedule(topology, request, RailRingCompiler::info().name, flows, sends.take(), {},
                        IdleSteps::kNothing);
}

// Compiles a broadcast from the root, or a reduce to it, along every ring, in `pieces` pieces that follow one
// another.
Schedule compile_chains(const Topology& topology, const CompileRequest& request,
                        const std::vector<std::vector<NodeId>>& rings, int pieces) {
  const int n = topology.num_accelerators();
  const int count = static_cast<int>(rings.size());
  const bool reduces = request.collective == Collective::kReduceScatter;
  const std::vector<Chunk> chunks = split_into_chunks(request.size, request.element, pieces * count);
  const int lag = steps_of_a_hop(topology, request, {.bytes = chunks.front().bytes, .messages = count});
  RingSends sends(topology);
  for (int flow = 0; flow < pieces * count; ++flow) {
    const std::vector<NodeId>& ring = rings[static_cast<std::size_t>(flow % count)];
    const auto root = std::ranges::find(ring, request.root) - ring.begin();
    const auto at = [&](int hop) { return ring[static_cast<std::size_t>((root + hop) % n)]; };
    for (int hop = 0; hop + 1 < n; ++hop) {
      const int step = hop * std::min(lag, pieces) + flow / count + 1;
      if (reduces) {
        sends.add(Op::kReduce, flow, at(hop + 1), at(hop + 2), step);
      } else {
        sends.add(Op::kGather, flow, at(hop), at(hop + 1), step);
      }
    }
  }
  Schedule schedule = build_schedule(topology, request, RailRingCompiler::info().name, chunks, sends.take(),
                                     {}, IdleSteps::kNothing);
  schedule.shares = {{.data = {.address = 0, .bytes = request.size}, .owner = request.root}};
  schedule.chunks = pieces;
  return schedule;
}

}  // namespace

AlgorithmInfo RailRingCompiler::info() {
  return {.name = "rail_ring",
          .summary = "one ring per rail of the boxes, through all accelerators (NCCL)",
          .chunking = Chunking::kChosen,
          .rooted = true,
          .trials = {{.turn = 10,
                      .chunks = kAutomaticChunks,
                      .seconds = [](const Topology& topology, const CompileRequest&) {
                        return seconds_at(topology, 30, 2);
                      }}}};
}

Schedule RailRingCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  const std::vector<std::vector<NodeId>> rings = rings_of(topology);
  if (request.root < 0) {
    Schedule wide = compile_rings(topology, request, rings);
    if (rings.size() == 1) return wide;
    // For small data, one ring may be faster than setting up messages on every rail.
    return faster_of(topology, request, compile_rings(topology, request, {rings.front()}), std::move(wide));
  }
  const std::int64_t messages = static_cast<std::int64_t>(rings.size()) * topology.num_accelerators();
  return best_of_pieces(topology, request, messages, static_cast<int>(rings.size()),
                        [&](int pieces) { return compile_chains(topology, request, rings, pieces); });
}

}  // namespace coppice::schedule
