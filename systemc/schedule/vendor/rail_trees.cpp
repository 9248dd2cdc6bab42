#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/table_builder.h"
#include "schedule/packed_trees/message_timing.h"
#include "schedule/pipelined_trees/binary_trees.h"
#include "schedule/vendor/boxes.h"
#include "schedule/vendor/piece_search.h"
#include "schedule/vendor/vendor_compilers.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

// A message of a piece; it is sent `depth` hops after the first message of the piece.
struct Hop {
  Op op = Op::kReduce;
  NodeId src = topology::kNoNode;
  NodeId dst = topology::kNoNode;
  int depth = 0;
};

// [box]: the number of levels below and above the box in the tree over boxes.
struct Levels {
  std::vector<int> below;
  std::vector<int> above;
};

Levels levels_of(const BinaryTree& parents) {
  Levels levels{std::vector<int>(parents.size(), 0), std::vector<int>(parents.size(), 0)};
  for (std::size_t box = 0; box < parents.size(); ++box) {
    int up = 0;
    for (int at = static_cast<int>(box); parents[static_cast<std::size_t>(at)] >= 0;) {
      at = parents[static_cast<std::size_t>(at)];
      ++up;
      levels.below[static_cast<std::size_t>(at)] = std::max(levels.below[static_cast<std::size_t>(at)], up);
    }
    levels.above[box] = up;
  }
  return levels;
}

// Determines how a box reduces the data of its accelerators to the rail's accelerator, and how it broadcasts
// data from that accelerator.
class Box {
 public:
  virtual ~Box() = default;
  virtual int depth() const = 0;  // number of hops of a reduction
  virtual bool in_switch() const = 0;
  virtual void sum(int box, int rail, std::vector<Hop>& hops) const = 0;
  virtual void spread(int box, int rail, int depth, std::vector<Hop>& hops) const = 0;
};

class Chain final : public Box {
 public:
  explicit Chain(const Boxes& boxes) : boxes_(boxes) {}
  int depth() const override { return boxes_.size() - 1; }
  bool in_switch() const override { return false; }
  void sum(int box, int rail, std::vector<Hop>& hops) const override {
    for (int i = 0; i < depth(); ++i) {
      hops.push_back({Op::kReduce, boxes_.at(box, rail + 1 + i), boxes_.at(box, rail + 2 + i), i});
    }
  }
  void spread(int box, int rail, int depth, std::vector<Hop>& hops) const override {
    for (int i = 0; i < boxes_.size() - 1; ++i) {
      const int from = rail + boxes_.size() - i;
      hops.push_back({Op::kGather, boxes_.at(box, from), boxes_.at(box, from - 1), depth + i});
    }
  }

 private:
  const Boxes& boxes_;
};

class Switch final : public Box {
 public:
  Switch(const Topology& topology, const Boxes& boxes) : boxes_(boxes) {
    for (const auto& box : boxes.members) {
      adders_.push_back(adder_of(topology, box));
      if (adders_.back() >= 0) continue;
      throw UnsupportedError("no switch of a box can reduce: set system.switch.reduction_bandwidth");
    }
  }
  int depth() const override { return 2; }
  bool in_switch() const override { return true; }
  void sum(int box, int rail, std::vector<Hop>& hops) const override {
    for (int i = 1; i < boxes_.size(); ++i) {
      hops.push_back({Op::kReduce, boxes_.at(box, rail + i), adder(box), 0});
    }
    hops.push_back({Op::kReduce, adder(box), boxes_.at(box, rail), 1});
  }
  void spread(int box, int rail, int depth, std::vector<Hop>& hops) const override {
    hops.push_back({Op::kGather, boxes_.at(box, rail), adder(box), depth});
    for (int i = 1; i < boxes_.size(); ++i) {
      hops.push_back({Op::kGather, adder(box), boxes_.at(box, rail + i), depth + 1});
    }
  }

 private:
  NodeId adder(int box) const { return adders_[static_cast<std::size_t>(box)]; }

  const Boxes& boxes_;
  std::vector<NodeId> adders_;
};

// Returns the hops of a piece. The piece is reduced in all boxes and then up the tree over boxes on the rail.
// The result moves down that tree and is broadcast in all boxes.
std::vector<Hop> hops_of(const Boxes& boxes, const Box& inside, const BinaryTree& parents, int rail) {
  const Levels levels = levels_of(parents);
  const int height = *std::ranges::max_element(levels.below);
  std::vector<Hop> hops;
  for (int box = 0; box < boxes.count(); ++box) {
    const auto b = static_cast<std::size_t>(box);
    inside.sum(box, rail, hops);
    const int turn = inside.depth() + height;  // the root has the complete sum
    if (parents[b] >= 0) {
      const NodeId here = boxes.at(box, rail);
      const NodeId parent = boxes.at(parents[b], rail);
      hops.push_back({Op::kReduce, here, parent, inside.depth() + levels.below[b]});
      hops.push_back({Op::kGather, parent, here, turn + levels.above[b] - 1});
    }
    inside.spread(box, rail, turn + levels.above[b], hops);
  }
  return hops;
}

std::vector<BinaryTree> trees_over(int boxes) {
  if (boxes == 1) return {BinaryTree{-1}};
  auto [one, other] = double_binary_tree(boxes);
  return {std::move(one), std::move(other)};
}

// Returns the channels of a hop: the channel between its two ends, or the two channels through a switch.
ChannelPath path_of(const Topology& topology, const Hop& hop) {
  const topology::ChannelId direct = find_channel(topology, hop.src, hop.dst);
  if (direct >= 0) return {direct};
  for (const topology::ChannelId up : topology.out_channels(hop.src)) {
    const topology::ChannelId down = find_channel(topology, topology.channel(up).dst, hop.dst);
    if (down >= 0) return {up, down};
  }
  return {topology.out_channels(hop.src).front()};
}

// Returns, for each depth, the delay of its hops after the first hop, in rounds. In a round, the busiest
// channel transfers `flows` flows of `bytes` bytes each. The delay allows for twice the time in flight, so
// that messages may wait for as long as they are in flight.
std::vector<int> lags_of(const Topology& topology, const CompileRequest& request,
                         std::span<const std::vector<Hop>> ways, Bytes bytes, int flows) {
  const MessageTiming timing(topology, request);
  std::vector<Femtoseconds> loads(topology.channels().size(), 0);
  std::vector<Femtoseconds> in_flight;  // [depth]
  const auto count = [&](const Hop& hop) {
    const ChannelPath path = path_of(topology, hop);
    const Femtoseconds busy = timing.busy(path, bytes, hop.dst);
    for (const topology::ChannelId id : path) loads[static_cast<std::size_t>(id)] += busy;
    const auto depth = static_cast<std::size_t>(hop.depth);
    if (in_flight.size() <= depth) in_flight.resize(depth + 1, 0);
    in_flight[depth] = std::max(in_flight[depth], busy + timing.delay(path, hop.op));
  };
  for (const std::vector<Hop>& way : ways) std::ranges::for_each(way, count);
  const auto width = static_cast<Femtoseconds>(ways.size());
  const Femtoseconds round = std::max<Femtoseconds>(*std::ranges::max_element(loads) / width * flows, 1);
  constexpr Femtoseconds kMost = 1 << 20;
  std::vector<int> lags;
  Femtoseconds lag = 0;
  for (const Femtoseconds hop : in_flight) {
    lags.push_back(static_cast<int>(lag));
    lag = std::min(lag + (2 * hop + round - 1) / round, kMost);
  }
  return lags;
}

// Compiles a schedule that sends pieces over `ways` in turn. If boxes reduce in switches, a step has one
// flow. Otherwise, it has the flows of all ways, so that accelerators that send in the same order never wait
// for the same receiver.
Schedule compile_ways(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
                      std::span<const std::vector<Hop>> ways, int pieces, bool in_switches) {
  const int width = static_cast<int>(ways.size());
  const int round = in_switches ? 1 : width;
  const std::vector<Chunk> chunks = split_into_chunks(request.size, request.element, pieces * width);
  const std::vector<int> lags = lags_of(topology, request, ways, chunks.front().bytes, round);
  std::vector<Send> sends;
  for (int flow = 0; flow < pieces * width; ++flow) {
    if (chunks[static_cast<std::size_t>(flow)].bytes == 0) continue;
    for (const Hop& hop : ways[static_cast<std::size_t>(flow % width)]) {
      sends.push_back({.op = hop.op,
                       .flow = flow,
                       .src = hop.src,
                       .dst = hop.dst,
                       .step = lags[static_cast<std::size_t>(hop.depth)] + flow / round + 1,
                       .channel = find_channel(topology, hop.src, hop.dst)});
    }
  }
  Schedule schedule = build_schedule(topology, request, algorithm, chunks, sends, {}, IdleSteps::kNothing);
  schedule.chunks = pieces;
  return schedule;
}

Schedule compile_on_rails(const Topology& topology, const CompileRequest& request,
                          const std::string& algorithm, const Boxes& boxes, const Box& inside) {
  if (request.collective != Collective::kAllReduce) {
    throw UnsupportedError(algorithm + " supports only all_reduce: use rail_ring for other collectives");
  }
  if (boxes.size() < 2) throw UnsupportedError(algorithm + " needs boxes of at least two accelerators");
  std::vector<std::vector<Hop>> ways;  // [tree * rails + rail]
  for (const BinaryTree& tree : trees_over(boxes.count())) {
    for (int rail = 0; rail < boxes.size(); ++rail) ways.push_back(hops_of(boxes, inside, tree, rail));
  }
  const auto compile = [&](int pieces) {
    return compile_ways(topology, request, algorithm, {ways.data(), ways.size()}, pieces, inside.in_switch());
  };
  const auto messages = static_cast<std::int64_t>(ways.front().size() * ways.size());
  Schedule wide = best_of_pieces(topology, request, messages, static_cast<int>(ways.size()), compile);
  if (request.chunks != kAutomaticChunks) return wide;
  // For small data, using one rail may be faster than setting up messages on every rail.
  return faster_of(topology, request,
                   compile_ways(topology, request, algorithm, {ways.data(), 1}, 1, inside.in_switch()),
                   std::move(wide));
}

}  // namespace

namespace {

// Most of the time is spent on finding the number of pieces.
double seconds_of_pieces(const Topology& topology, const CompileRequest& /*request*/) {
  return seconds_at(topology, 5, 0.25);
}

}  // namespace

AlgorithmInfo RailTreeCompiler::info() {
  return {.name = "rail_tree",
          .summary = "double trees over boxes on every rail, with chains inside the boxes (NCCL)",
          .chunking = Chunking::kChosen,
          .trials = {{.turn = 10, .chunks = kAutomaticChunks, .seconds = seconds_of_pieces}}};
}

Schedule RailTreeCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  const Boxes boxes = find_boxes(topology);
  return compile_on_rails(topology, request, info().name, boxes, Chain(boxes));
}

AlgorithmInfo NvlsCompiler::info() {
  return {
      .name = "nvls",
      .summary = "reduction and multicast in the switch of a box, and double trees over boxes (NVLink SHARP)",
      .chunking = Chunking::kChosen,
      .trials = {{.turn = 10, .chunks = kAutomaticChunks, .seconds = seconds_of_pieces}}};
}

Schedule NvlsCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  const Boxes boxes = find_boxes(topology);
  return compile_on_rails(topology, request, info().name, boxes, Switch(topology, boxes));
}

}  // namespace coppice::schedule
