#include "system/program/all_to_all.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "config/lone_collective_config.h"
#include "config/shape.h"
#include "schedule/compile/table_builder.h"
#include "schedule/files/msccl_file.h"
#include "schedule/files/schedule_file.h"
#include "schedule/proof/contention.h"
#include "schedule/proof/replay.h"
#include "schedule/rings/ring_order.h"
#include "system/machine/build.h"
#include "system/program/balanced_exchange.h"
#include "system/program/dimension_widths.h"
#include "topology/networks/kinds.h"

namespace coppice::system {
namespace {

using schedule::Send;
using topology::NodeId;

constexpr Bytes kElement = 4;

std::size_t index(NodeId node) {
  return static_cast<std::size_t>(node);
}

Send message(int flow, NodeId src, NodeId dst, int step) {
  return {.op = schedule::Op::kGather, .flow = flow, .src = src, .dst = dst, .step = step};
}

// In step s every accelerator sends to partner(own number, s).
template <typename Partner>
std::vector<Send> exchange(int n, Partner partner) {
  std::vector<Send> sends;
  for (int step = 1; step < n; ++step) {
    for (NodeId node = 0; node < n; ++node) {
      const NodeId to = partner(node, step);
      sends.push_back(message(node * n + to, node, to, step));
    }
  }
  return sends;
}

// Blocks go from neighbour to neighbour, those that have farthest to go first, half of them either way.
std::vector<Send> around(const std::vector<NodeId>& ring) {
  const int n = static_cast<int>(ring.size());
  std::vector<Send> sends;
  const auto at = [&](int position) { return ring[index((position % n + n) % n)]; };
  for (const int way : {1, -1}) {
    int first = 1;
    for (int distance = way == 1 ? n / 2 : (n - 1) / 2; distance > 0; --distance) {
      for (int from = 0; from < n; ++from) {
        const int flow = at(from) * n + at(from + way * distance);
        for (int hop = 0; hop < distance; ++hop) {
          sends.push_back(message(flow, at(from + way * hop), at(from + way * (hop + 1)), first + hop));
        }
      }
      first += distance;
    }
  }
  return sends;
}

// Dimension by dimension: a block goes to the accelerator that differs from the one where it is in that
// coordinate alone, where it is the destination's. In a dimension every accelerator sends to the one that is
// 1, 2, 3 and so on further, all that it has for it.
std::vector<Send> through_dimensions(const std::vector<int>& widths) {
  const int n = std::accumulate(widths.begin(), widths.end(), 1, std::multiplies<>());
  std::vector<Send> sends;
  int before = 0;  // steps of the dimensions before
  int stride = 1;
  for (const int width : widths) {
    const int carried = n / width;  // blocks that an accelerator has for one other of the dimension
    for (NodeId node = 0; node < n; ++node) {
      const int own = node / stride % width;
      for (int shift = 1; shift < width; ++shift) {
        const int there = (own + shift) % width;
        const NodeId to = node + (there - own) * stride;
        // Sources agree with this accelerator in what is not done yet, destinations in what is.
        for (int k = 0; k < carried; ++k) {
          const int low = k % stride;
          const int high = k / stride;
          const int source = low + node / stride * stride;
          const int destination = node % stride + there * stride + high * stride * width;
          sends.push_back(
              message(source * n + destination, node, to, before + (shift - 1) * carried + k + 1));
        }
      }
    }
    before += (width - 1) * carried;
    stride *= width;
  }
  return sends;
}

// The algorithm, and the key that names it.
std::pair<std::string, std::string> algorithm_of(const config::Loaded& loaded) {
  const std::string key = "collectives.all_to_all.algorithm";
  const auto chosen = loaded.config.program.collectives.find("all_to_all");
  if (chosen != loaded.config.program.collectives.end() && !chosen->second.algorithm.empty()) {
    return {chosen->second.algorithm, key};
  }
  const config::CollectiveConfig& own = loaded.config.collective;
  if (own.op == "all_to_all" && config::reads_tables(loaded.config))
    return {own.algorithm, "collective.file"};
  if (own.op != "all_to_all" || config::chooses_algorithm(loaded.config)) return {"direct", key};
  const auto known = config::all_to_all_algorithms();
  if (std::ranges::find(known, own.algorithm) == known.end()) {
    throw ConfigError(loaded.place("collective.algorithm"),
                      fmt::format("collective.algorithm: {} is no algorithm of an all-to-all: write auto, {}",
                                  own.algorithm, fmt::join(known, ", ")));
  }
  return {own.algorithm, "collective.algorithm"};
}

// The blocks of a schedule, and the parts in which they travel: the same of every block.
class BlockParts {
 public:
  explicit BlockParts(const schedule::Schedule& schedule)
      : accelerators_(schedule.accelerators()),
        block_(schedule.size / (Bytes{accelerators_} * accelerators_)) {
    std::set<Bytes> begins{0};
    for (const schedule::NodeTables& node : schedule.nodes) {
      for (const schedule::Table& port : node.ports) {
        port.for_each_entry([&](const schedule::TableEntry& entry) {
          if (entry.op != schedule::Op::kNop) begins.insert(entry.address % block_);
        });
      }
    }
    begins_.assign(begins.begin(), begins.end());
  }

  Bytes count() const { return static_cast<Bytes>(begins_.size()); }
  // The number of part `part` of the block from `source` to `destination`.
  Bytes number(NodeId source, NodeId destination, Bytes part) const {
    return (Bytes{source} * accelerators_ + destination) * count() + part;
  }
  // The parts that begin in [address, address + bytes).
  std::pair<Bytes, Bytes> range(Bytes address, Bytes bytes) const {
    return {first(address), first(address + bytes)};
  }

 private:
  Bytes first(Bytes address) const {
    const auto at = std::ranges::lower_bound(begins_, address % block_);
    return address / block_ * count() + (at - begins_.begin());
  }

  int accelerators_;
  Bytes block_;
  std::vector<Bytes> begins_;
};

// One accelerator's blocks: who has written each part, by its number.
class BlockMemory final : public ni::GradientMemory {
 public:
  BlockMemory(const BlockParts& parts, NodeId self, int accelerators) : parts_(parts) {
    for (NodeId to = 0; to < accelerators; ++to) {
      for (Bytes part = 0; part < parts.count(); ++part) marks_[parts.number(self, to, part)] = mark(self);
    }
  }
  static std::uint64_t mark(NodeId source) { return static_cast<std::uint64_t>(source) + 1; }

  ni::Payload read(Bytes address, Bytes bytes) const override {
    ni::Payload payload;
    const auto [first, end] = parts_.range(address, bytes);
    for (Bytes number = first; number < end; ++number) payload.contributions.push_back(holds(number));
    return payload;
  }
  void reduce(Bytes address, Bytes, const ni::Payload&) override {
    throw ModelError(fmt::format("all-to-all: block {} is added to, which nothing is",
                                 parts_.range(address, 0).first / parts_.count()));
  }
  void store(Bytes address, Bytes bytes, const ni::Payload& payload) override {
    Bytes number = parts_.range(address, bytes).first;
    for (const std::uint64_t source : payload.contributions) marks_[number++] = source;
  }
  std::uint64_t holds(Bytes number) const {
    const auto found = marks_.find(number);
    return found == marks_.end() ? 0 : found->second;
  }

 private:
  const BlockParts& parts_;
  std::unordered_map<Bytes, std::uint64_t> marks_;
};

class BlockVerification final : public Verification {
 public:
  explicit BlockVerification(const schedule::Schedule& schedule)
      : accelerators_(schedule.accelerators()), parts_(schedule) {
    for (NodeId node = 0; node < accelerators_; ++node) memories_.emplace_back(parts_, node, accelerators_);
  }
  ni::GradientMemory& memory(NodeId node) override { return memories_[index(node)]; }
  void verify() const override {
    for (NodeId node = 0; node < accelerators_; ++node) {
      for (NodeId source = 0; source < accelerators_; ++source) {
        for (Bytes part = 0; part < parts_.count(); ++part) verify(node, source, part);
      }
    }
  }
  const char* name() const override { return "contributions"; }

 private:
  void verify(NodeId node, NodeId source, Bytes part) const {
    const std::uint64_t held = memories_[index(node)].holds(parts_.number(source, node, part));
    if (held == BlockMemory::mark(source)) return;
    const std::string where = parts_.count() > 1 ? fmt::format("part {} of ", part) : "";
    throw ModelError(fmt::format("wrong block: accelerator {} holds {} where {}the block from {} belongs",
                                 node, held == 0 ? "nothing" : fmt::format("that of {}", held - 1), where,
                                 source));
  }

  int accelerators_;
  BlockParts parts_;
  std::vector<BlockMemory> memories_;
};

// Every block, or each of its so many parts, goes from its source, message by message, to its destination,
// each sent after the one before.
void prove_ways(const schedule::Schedule& schedule, const std::vector<schedule::Message>& messages,
                int parts) {
  const int n = schedule.accelerators();
  std::vector<std::pair<NodeId, std::int32_t>> at;  // [flow]: where it is, and since which round
  for (NodeId source = 0; source < n; ++source) at.insert(at.end(), index(n * parts), {source, -1});
  std::vector<const schedule::Message*> order;
  for (const schedule::Message& message : messages) order.push_back(&message);
  std::ranges::stable_sort(order, {}, [](const schedule::Message* message) { return message->round; });
  for (const schedule::Message* message : order) {
    auto& [place, since] = at[static_cast<std::size_t>(message->entry->flow)];
    if (place != message->src || since >= message->round) {
      throw ModelError(
          fmt::format("all-to-all: {} is sent where its block is not, which is at accelerator {}",
                      schedule::place_of(*message), place));
    }
    place = message->dst;
    since = message->round;
  }
  for (std::size_t flow = 0; flow < at.size(); ++flow) {
    const std::size_t block = flow / index(parts);
    if (index(at[flow].first) == block % index(n)) continue;
    throw ModelError(fmt::format("all-to-all: block {} ends at accelerator {}", block, at[flow].first));
  }
}

// Where a flow is one of so many parts of a block its way is proven. A file's flows have chunks of any shape,
// no parts, which the run checks.
CheckedSchedule checked(const topology::Topology& topology, schedule::Schedule schedule, int parts) {
  CheckedSchedule result;
  result.schedule = std::move(schedule);
  try {
    std::vector<schedule::Message> messages = schedule::collect_messages(topology, result.schedule);
    schedule::replay(result.schedule, messages);
    if (parts > 0) prove_ways(result.schedule, messages, parts);
    schedule::find_contention(topology, result.schedule, messages, result.report);
  } catch (const schedule::ScheduleError& error) {
    throw ModelError(
        fmt::format("the schedule of '{}' fails the check: {}", result.schedule.algorithm, error.what()));
  }
  result.report.additions.assign(static_cast<std::size_t>(result.schedule.flows), 0);
  return result;
}

schedule::Schedule read_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const schedule::CompileRequest& request) {
  const std::string& file = loaded.config.collective.file;
  const SourceLocation place = loaded.place("collective.file");
  std::string text;
  try {
    text = schedule::read_schedule_text(file);
  } catch (const UnsupportedError& error) {
    throw ConfigError(place, fmt::format("collective.file: {}", error.what()));
  }
  if (!schedule::looks_like_xml(text)) {
    throw ConfigError(
        place, fmt::format("collective.file: an all-to-all is read as MSCCL XML, which {} is not", file));
  }
  const std::string held = schedule::msccl_collective(text, file);
  if (held != "all_to_all") {
    throw ConfigError(
        loaded.place("collective.op"),
        fmt::format("collective.op is all_to_all, but {} holds {}: write {}", file, held, held));
  }
  return schedule::parse_msccl(text, file, topology, request);
}

}  // namespace

Bytes all_to_all_block(Bytes bytes, int accelerators) {
  const Bytes elements = (bytes + kElement - 1) / kElement;
  return (elements + accelerators - 1) / accelerators * kElement;
}

CheckedSchedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const topology::RoutingFunction& routing, Bytes bytes) {
  const int n = topology.num_accelerators();
  const Bytes block = all_to_all_block(bytes, n);
  const auto [algorithm, key] = algorithm_of(loaded);
  schedule::CompileRequest request;
  request.collective = topology::Collective::kAllGather;
  request.size = block * n * n;
  request.ni_ports = resolve_ni_ports(loaded.config, topology);
  request.routing = &routing;
  if (key == "collective.file") return checked(topology, read_all_to_all(loaded, topology, request), 0);
  std::vector<Send> sends;
  int parts = 1;
  if (algorithm == "hierarchical") {
    const std::vector<int> widths = dimension_widths(topology);
    if (widths.empty()) {
      throw ConfigError(loaded.place(key),
                        fmt::format("{}: hierarchical moves blocks dimension by dimension, and {} has none: "
                                    "write direct",
                                    key, topology.name()));
    }
    sends = through_dimensions(widths);
  } else if (algorithm == "pairwise") {
    if (!std::has_single_bit(static_cast<unsigned>(n))) {
      throw ConfigError(
          loaded.place(key),
          fmt::format("{}: pairwise needs a power of two of accelerators, not {}: write direct", key, n));
    }
    sends = exchange(n, [](NodeId node, int step) { return node ^ step; });
  } else if (algorithm == "balanced") {
    if (!topology::info_of(topology.kind()).grid) {
      throw ConfigError(loaded.place(key),
                        fmt::format("{}: balanced shares out the channels of tori and meshes, and "
                                    "{} is neither: write direct",
                                    key, topology.name()));
    }
    BalancedExchange exchange = balanced_exchange(topology, block / kElement);
    sends = std::move(exchange.sends);
    parts = exchange.parts;
  } else if (algorithm == "ring") {
    sends = around(schedule::ring_order(topology).nodes);
  } else {
    sends = exchange(n, [n](NodeId node, int step) { return (node + step) % n; });
  }
  for (Send& send : sends) {
    if (send.channel >= 0) continue;
    for (const auto id : topology.out_channels(send.src)) {
      if (topology.channel(id).dst == send.dst) send.channel = id;
    }
  }
  std::vector<schedule::Chunk> blocks;
  for (Bytes number = 0; number < Bytes{n} * n; ++number) {
    for (int part = 0; part < parts; ++part) {
      const Bytes begin = block / kElement * part / parts * kElement;
      const Bytes end = block / kElement * (part + 1) / parts * kElement;
      blocks.push_back({number * block + begin, end - begin});
    }
  }
  return checked(
      topology, schedule::build_schedule(topology, request, "all_to_all_" + algorithm, blocks, sends), parts);
}

std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule) {
  return std::make_unique<BlockVerification>(schedule);
}

}  // namespace coppice::system
