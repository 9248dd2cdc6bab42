#include "schedule/files/msccl_print.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.h"
#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {
namespace {

constexpr std::size_t kMostSteps = 256;  // of a thread block
constexpr std::int64_t kMostCount = 72;  // chunks of a step
constexpr int kMostChannels = 32;
constexpr std::int64_t kMostChunks = 1 << 16;
constexpr const char* kGathers = "allgather";

struct Place {
  int block = -1;
  int step = -1;
};

struct Step {
  const char* type = "nop";
  MscclCell source;
  MscclCell destination;
  std::int64_t count = 0;
  Place after;  // a step of the same GPU; block -1: none
  bool needed = false;
};

struct Block {
  int send_to = -1;
  int receive_from = -1;
  int channel = 0;
  std::vector<Step> steps;
};

// Where the messages of a connection over one link go.
struct Connection {
  int channel = -1;
  std::size_t steps = kMostSteps;  // full: the next message opens a channel
  int sender = -1;                 // the blocks
  int receiver = -1;
};

std::string name_of(const std::string& collective) {
  if (collective == "all_gather") return kGathers;
  if (collective == "reduce_scatter") return "reducescatter";
  if (collective == "broadcast") return "broadcast";
  return "allreduce";
}

class MscclWriter {
 public:
  MscclWriter(const topology::Topology& topology, const Schedule& schedule, bool exchanges)
      : topology_(topology),
        schedule_(schedule),
        exchanges_(exchanges),
        blocks_(schedule.nodes.size()),
        scratch_(schedule.nodes.size()) {
    const std::string collective = collective_name(schedule);
    if (schedule.adders > 0) throw UnsupportedError("MSCCL has no switches that add: write json");
    if (collective == "reduce") throw UnsupportedError("MSCCL has no reduce to one accelerator: write json");
    find_grain();
  }

  std::string write() {
    if (exchanges_) place_own();
    place_messages();
    return print();
  }

 private:
  void find_grain() {
    grain_ = schedule_.size;
    for_each_message(
        [&](const TableEntry& entry) { grain_ = std::gcd(grain_, std::gcd(entry.address, entry.bytes)); });
    if (exchanges_) {
      const Bytes pairs = Bytes{schedule_.accelerators()} * schedule_.accelerators();
      grain_ = std::gcd(grain_, schedule_.size / pairs);
      const Bytes chunks = schedule_.size / pairs / std::max<Bytes>(grain_, 1);
      if (chunks * schedule_.accelerators() <= kMostChunks) return;
      throw UnsupportedError(fmt::format("MSCCL has {} chunks a GPU at most", kMostChunks));
    }
    const int accelerators = schedule_.accelerators();
    const bool shares = name_of(collective_name(schedule_)) != "allreduce";
    if (schedule_.size / std::max<Bytes>(grain_, 1) <= kMostChunks &&
        (!shares || (schedule_.size / grain_) % accelerators == 0)) {
      return;
    }
    throw UnsupportedError(
        fmt::format("MSCCL has equal chunks, and the largest part that all messages here are multiples of is "
                    "{} bytes: choose a "
                    "collective.size that is a multiple of {} bytes times the chunks",
                    grain_, accelerators * schedule_.element));
  }

  template <typename Visit>
  void for_each_message(Visit visit) const {
    for (const NodeTables& node : schedule_.nodes) {
      for (const Table& port : node.ports) {
        port.for_each_entry([&](const TableEntry& entry) {
          if (entry.op != Op::kNop && entry.bytes > 0) visit(entry);
        });
      }
    }
  }

  // Entries in an order in which what they depend on is placed before them: ports go on while they can.
  void place_messages() {
    struct Cursor {
      NodeId node;
      const Table* table;
      std::size_t next = 0;
    };
    std::vector<Cursor> cursors;
    for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
      for (const Table& port : schedule_.nodes[node].ports) {
        if (!port.empty()) cursors.push_back({static_cast<NodeId>(node), &port});
      }
    }
    // A step at a time, so that chunks come in the order of their timesteps where dependencies leave a
    // choice.
    for (bool moved = true; moved;) {
      moved = false;
      std::int32_t step = std::numeric_limits<std::int32_t>::max();
      for (const Cursor& cursor : cursors) {
        if (cursor.next < cursor.table->size()) step = std::min(step, (*cursor.table)[cursor.next].step);
      }
      for (Cursor& cursor : cursors) {
        while (cursor.next < cursor.table->size()) {
          const TableEntry entry = (*cursor.table)[cursor.next];
          if (entry.step > step && moved) break;
          if (entry.op != Op::kNop && entry.bytes > 0 && !ready(cursor.node, entry)) break;
          if (entry.op != Op::kNop && entry.bytes > 0) place(cursor.node, entry);
          ++cursor.next;
          moved = true;
        }
      }
    }
    for (const Cursor& cursor : cursors) {
      if (cursor.next < cursor.table->size()) {
        throw ModelError(
            fmt::format("MSCCL: the entries of accelerator {} wait for each other", cursor.node));
      }
    }
  }

  bool ready(NodeId node, const TableEntry& entry) const {
    const auto found = arrived_.find({node, entry.flow});
    return (found == arrived_.end() ? 0 : found->second.count) >= entry.dependencies;
  }

  // A message is a step of a sending and one of a receiving block for every 72 chunks of it.
  void place(NodeId src, const TableEntry& entry) {
    const NodeId dst = entry.destination();
    Arrivals& here = arrived_[{src, entry.flow}];
    Arrivals& there = arrived_[{dst, entry.flow}];
    const std::int64_t chunks = entry.bytes / grain_;
    for (std::int64_t at = 0; at < chunks; at += kMostCount) {
      Connection& connection = connect(src, dst, entry);
      const std::int64_t offset = entry.address / grain_ + at;
      const std::int64_t count = std::min(kMostCount, chunks - at);
      const MscclCell from = cell(src, offset);
      const MscclCell to = cell(dst, offset);
      add(src, connection.sender, {"s", from, to, count, here.last});
      const char* type = entry.op == Op::kReduce ? "rrc" : "r";
      there.last = add(dst, connection.receiver, {type, from, to, count, there.last});
      ++connection.steps;
    }
    ++there.count;
  }

  // What a GPU sends itself is a copy from its input to its output.
  void place_own() {
    const std::int64_t own = schedule_.size / grain_ / schedule_.accelerators() / schedule_.accelerators();
    for (NodeId node = 0; node < schedule_.accelerators(); ++node) {
      const int block = open(node, {});
      for (std::int64_t at = 0; at < own; at += kMostCount) {
        const auto offset = static_cast<int>(node * own + at);
        add(node, block, {"cpy", {'i', offset}, {'o', offset}, std::min(kMostCount, own - at), {}});
      }
    }
  }

  // Where a GPU has the data from `offset` on. What an all-to-all leads through it is in scratch.
  MscclCell cell(NodeId node, std::int64_t offset) {
    if (!exchanges_)
      return {name_of(collective_name(schedule_)) == kGathers ? 'o' : 'i', static_cast<int>(offset)};
    const std::int64_t gpus = schedule_.accelerators();
    const std::int64_t own = schedule_.size / grain_ / gpus / gpus;
    const std::int64_t pair = offset / own;
    const std::int64_t part = offset % own;
    if (pair / gpus == node) return {'i', static_cast<int>(pair % gpus * own + part)};
    if (pair % gpus == node) return {'o', static_cast<int>(pair / gpus * own + part)};
    auto& places = scratch_[static_cast<std::size_t>(node)];
    const auto place = static_cast<std::int64_t>(places.size());
    const auto [found, added] = places.try_emplace(pair, place);
    return {'s', static_cast<int>(found->second * own + part)};
  }

  Place add(NodeId node, int block, Step step) {
    auto& blocks = blocks_[static_cast<std::size_t>(node)];
    auto& steps = blocks[static_cast<std::size_t>(block)].steps;
    if (step.after.block == block) step.after = {};  // its own order says so
    if (step.after.block >= 0) {
      blocks[static_cast<std::size_t>(step.after.block)]
          .steps[static_cast<std::size_t>(step.after.step)]
          .needed = true;
    }
    steps.push_back(step);
    return {block, static_cast<int>(steps.size()) - 1};
  }

  Connection& connect(NodeId src, NodeId dst, const TableEntry& entry) {
    Connection& connection = connections_[{src, dst, first_link(src, dst, entry)}];
    if (connection.steps < kMostSteps) return connection;
    int& channels = channels_[{src, dst}];
    if (channels >= kMostChannels) {
      throw UnsupportedError(fmt::format(
          "MSCCL has {} channels of {} steps between two GPUs, which {} to {} exceed: choose fewer chunks",
          kMostChannels, kMostSteps, src, dst));
    }
    connection.channel = channels++;
    most_channels_ = std::max(most_channels_, channels);
    connection.steps = 0;
    connection.sender = open(src, {dst, -1, connection.channel, {}});
    connection.receiver = open(dst, {-1, src, connection.channel, {}});
    return connection;
  }

  int open(NodeId node, Block block) {
    auto& blocks = blocks_[static_cast<std::size_t>(node)];
    blocks.push_back(std::move(block));
    return static_cast<int>(blocks.size()) - 1;
  }

  // Which of the links to a neighbour the message takes; -1 if it goes through others.
  topology::ChannelId first_link(NodeId src, NodeId dst, const TableEntry& entry) const {
    const topology::Route& route = schedule_.routes[static_cast<std::size_t>(entry.route)];
    const topology::ChannelId link = topology_.out_channels(src)[route.front().out_port];
    return topology_.channel(link).dst == dst ? link : -1;
  }

  std::string print() const {
    const std::string collective = exchanges_ ? "alltoall" : name_of(collective_name(schedule_));
    const bool gathers = collective == kGathers;
    const std::int64_t gpus = schedule_.accelerators();
    const std::int64_t chunks = schedule_.size / grain_ / (exchanges_ ? gpus : 1);
    pugi::xml_document document;
    pugi::xml_node algo = document.append_child("algo");
    algo.append_attribute("name") = schedule_.algorithm.c_str();
    algo.append_attribute("proto") = "Simple";
    algo.append_attribute("nchannels") = std::max(most_channels_, 1);
    algo.append_attribute("nchunksperloop") = static_cast<long long>(chunks);
    algo.append_attribute("ngpus") = schedule_.accelerators();
    algo.append_attribute("coll") = collective.c_str();
    algo.append_attribute("inplace") = exchanges_ ? 0 : 1;
    algo.append_attribute("outofplace") = exchanges_ ? 1 : 0;
    algo.append_attribute("minBytes") = 0;
    algo.append_attribute("maxBytes") = 1LL << 48;
    for (std::size_t node = 0; node < blocks_.size(); ++node) {
      pugi::xml_node gpu = algo.append_child("gpu");
      gpu.append_attribute("id") = static_cast<int>(node);
      gpu.append_attribute("i_chunks") = gathers ? 0LL : static_cast<long long>(chunks);
      gpu.append_attribute("o_chunks") = gathers || exchanges_ ? static_cast<long long>(chunks) : 0LL;
      gpu.append_attribute("s_chunks") =
          static_cast<long long>(static_cast<std::int64_t>(scratch_[node].size()) * chunks / gpus);
      for (std::size_t b = 0; b < blocks_[node].size(); ++b) {
        print_block(gpu, static_cast<int>(b), blocks_[node][b]);
      }
    }
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default | pugi::format_no_declaration);
    return text.str();
  }

  static void print_block(pugi::xml_node& gpu, int id, const Block& block) {
    pugi::xml_node tb = gpu.append_child("tb");
    tb.append_attribute("id") = id;
    tb.append_attribute("send") = block.send_to;
    tb.append_attribute("recv") = block.receive_from;
    tb.append_attribute("chan") = block.channel;
    for (std::size_t s = 0; s < block.steps.size(); ++s) {
      const Step& step = block.steps[s];
      pugi::xml_node node = tb.append_child("step");
      node.append_attribute("s") = static_cast<int>(s);
      node.append_attribute("type") = step.type;
      node.append_attribute("srcbuf") = std::string(1, step.source.buffer).c_str();
      node.append_attribute("srcoff") = step.source.offset;
      node.append_attribute("dstbuf") = std::string(1, step.destination.buffer).c_str();
      node.append_attribute("dstoff") = step.destination.offset;
      node.append_attribute("cnt") = static_cast<long long>(step.count);
      node.append_attribute("depid") = step.after.block;
      node.append_attribute("deps") = step.after.step;
      node.append_attribute("hasdep") = step.needed ? 1 : 0;
    }
  }

  // Of a flow at a GPU: how many messages have arrived, and the last of their steps.
  struct Arrivals {
    std::int32_t count = 0;
    Place last;
  };

  const topology::Topology& topology_;
  const Schedule& schedule_;
  bool exchanges_ = false;  // an all-to-all, by the blocks of all pairs
  Bytes grain_ = 0;
  std::vector<std::vector<Block>> blocks_;                     // [gpu]
  std::vector<std::map<std::int64_t, std::int64_t>> scratch_;  // [gpu]: the places of pairs' blocks
  std::map<std::tuple<NodeId, NodeId, topology::ChannelId>, Connection> connections_;
  std::map<std::pair<NodeId, NodeId>, int> channels_;
  std::map<std::pair<NodeId, std::int32_t>, Arrivals> arrived_;
  int most_channels_ = 0;
};

}  // namespace

std::string to_msccl(const topology::Topology& topology, const Schedule& schedule) {
  return MscclWriter(topology, schedule, false).write();
}

std::string all_to_all_to_msccl(const topology::Topology& topology, const Schedule& schedule) {
  return MscclWriter(topology, schedule, true).write();
}

}  // namespace coppice::schedule
