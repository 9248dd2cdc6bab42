#include "schedule/files/msccl_print.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.h"
#include "schedule/files/msccl_buffers.h"
#include "schedule/files/step_order.h"

namespace coppice::schedule {
namespace {

constexpr std::size_t kMostSteps = 256;  // maximum number of steps per thread block
constexpr std::int64_t kMostCount = 72;  // maximum number of chunks per step
constexpr int kMostChannels = 32;
constexpr std::int64_t kMostChunks = 1 << 16;
constexpr const char* kGathers = "allgather";

// The position of a step of a GPU: thread block and index in the block.
struct Place {
  int block = -1;
  int step = -1;
  auto operator<=>(const Place&) const = default;
};

struct Step {
  const char* type = "nop";
  MscclCell source;
  MscclCell destination;
  std::int64_t count = 0;
  // The steps of the GPU's other blocks for which this step waits. Each of them except the last needs a nop.
  std::set<Place> after{};
  bool needed = false;
  int printed = 0;  // number in the file, where nops count as steps, too

  int nops() const { return std::max(static_cast<int>(after.size()) - 1, 0); }
};

struct Block {
  int send_to = -1;
  int receive_from = -1;
  int channel = 0;
  std::vector<Step> steps;
};

// A connection, which carries messages over one link.
struct Connection {
  int channel = -1;
  std::size_t steps = kMostSteps;  // used steps; if full (as initially), the next message opens a channel
  int sender = -1;                 // thread blocks at both ends
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
  // `most_steps` is the maximum number of steps of a block, excluding nops.
  MscclWriter(const topology::Topology& topology, const Schedule& schedule, bool exchanges,
              std::size_t most_steps)
      : topology_(topology),
        schedule_(schedule),
        exchanges_(exchanges),
        most_steps_(most_steps),
        blocks_(schedule.nodes.size()),
        scratch_(schedule.nodes.size()) {
    const std::string collective = collective_name(schedule);
    if (schedule.adders > 0)
      throw UnsupportedError("MSCCL cannot express in-network reduction: write --format json");
    if (schedule.copies > 1) {
      throw UnsupportedError(
          "MSCCL cannot express an all-reduce with one copy of the data per GPU: write --format json");
    }
    if (collective == "reduce")
      throw UnsupportedError("MSCCL cannot express a reduce to one accelerator: write --format json");
    find_grain();
  }

  // Returns the XML. The result is empty if nops make a block too long.
  std::string write() {
    if (exchanges_) place_own();
    if (schedule_.ordered_by_lockstep) {
      place_timesteps();
    } else {
      place_messages();
    }
    order_accesses();
    return number_steps() ? print() : std::string();
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
      throw UnsupportedError(
          fmt::format("MSCCL allows at most {} chunks per GPU: write --format json", kMostChunks));
    }
    const int accelerators = schedule_.accelerators();
    const bool shares = name_of(collective_name(schedule_)) != "allreduce";
    if (schedule_.size / std::max<Bytes>(grain_, 1) <= kMostChunks &&
        (!shares || (schedule_.size / grain_) % accelerators == 0)) {
      return;
    }
    throw UnsupportedError(fmt::format(
        "MSCCL needs chunks of equal size, but the largest size that divides all messages here is {} bytes: "
        "choose a collective.size that is a multiple of {} bytes times the number of chunks",
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

  // Places the entries such that dependencies come first. Each port continues until its next entry must wait.
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
    // Places entries step by step, so that chunks are placed in the order of their timesteps where
    // dependencies leave a choice.
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
        throw ModelError(fmt::format("MSCCL: the table entries of accelerator {} wait for each other forever",
                                     cursor.node));
      }
    }
  }

  // Places the entries by timestep. The sends of a timestep use data from earlier timesteps, and come before
  // the sends of the next timestep.
  void place_timesteps() {
    std::map<std::int32_t, std::vector<std::pair<NodeId, TableEntry>>> steps;
    for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
      for (const Table& port : schedule_.nodes[node].ports) {
        port.for_each_entry([&](const TableEntry& entry) {
          if (entry.op == Op::kNop || entry.bytes == 0) return;
          steps[entry.step].emplace_back(static_cast<NodeId>(node), entry);
        });
      }
    }
    for (const auto& [step, entries] : steps) {
      std::vector<Sent> sent;
      for (const auto& [node, entry] : entries) place_sends(node, entry, sent);
      for (const Sent& message : sent) place_receive(message);
    }
  }

  bool ready(NodeId node, const TableEntry& entry) const {
    const auto found = arrived_.find({node, entry.flow});
    return (found == arrived_.end() ? 0 : found->second) >= entry.dependencies;
  }

  void place(NodeId src, const TableEntry& entry) {
    std::vector<Sent> sent;
    place_sends(src, entry, sent);
    for (const Sent& message : sent) place_receive(message);
    ++arrived_[{entry.destination(), entry.flow}];
  }

  // A message that has been sent, and the step that receives it.
  struct Sent {
    NodeId dst;
    int receiver;  // thread block that receives the message
    Step step;
    std::int32_t sending;  // number, in the trace, of the step that sent the message
  };

  // A message needs one step of a sending block and one step of a receiving block for every 72 chunks.
  void place_sends(NodeId src, const TableEntry& entry, std::vector<Sent>& sent) {
    const NodeId dst = entry.destination();
    const std::int64_t chunks = entry.bytes / grain_;
    for (std::int64_t at = 0; at < chunks; at += kMostCount) {
      Connection& connection = connect(src, dst, entry);
      const std::int64_t offset = entry.address / grain_ + at;
      const std::int64_t count = std::min(kMostCount, chunks - at);
      const MscclCell from = cell(src, offset);
      const MscclCell to = cell(dst, offset);
      const std::int32_t traced = add(src, connection.sender, {"s", from, to, count}, {});
      for_each_cell(from, count, [&](MscclCell read) { order_.read(traced, src, read); });
      const char* type = entry.op == Op::kReduce ? "rrc" : "r";
      // A step that adds stores the sum in the cell of its operand.
      const MscclCell operand = entry.op == Op::kReduce ? to : from;
      sent.push_back({dst, connection.receiver, {type, operand, to, count}, traced});
      ++connection.steps;
    }
  }

  void place_receive(const Sent& message) {
    const Step& step = message.step;
    const std::int32_t traced = add(message.dst, message.receiver, step, {&message.sending, 1});
    for_each_cell(step.destination, step.count,
                  [&](MscclCell written) { order_.write(traced, message.dst, written); });
  }

  template <typename Visit>
  static void for_each_cell(MscclCell first, std::int64_t count, Visit visit) {
    for (int i = 0; i < static_cast<int>(count); ++i) visit({first.buffer, first.offset + i});
  }

  // Makes each access to a GPU's chunk wait for the previous accesses to the chunk, unless messages already
  // order them.
  void order_accesses() {
    for (const UnorderedAccess& access : order_.unordered()) {
      const auto& [gpu, before] = trace_[static_cast<std::size_t>(access.earlier)];
      const Place& after = trace_[static_cast<std::size_t>(access.later)].second;
      step_at(gpu, after).after.insert(before);
      step_at(gpu, before).needed = true;
    }
    for (auto& gpu : blocks_) {
      for (Block& block : gpu) {
        for (Step& step : block.steps) keep_last_of_blocks(step.after);
      }
    }
  }

  // Keeps only the last step of each block, because waiting for it implies waiting for all earlier steps of
  // the block.
  static void keep_last_of_blocks(std::set<Place>& places) {
    for (auto place = places.begin(); place != places.end();) {
      const auto next = std::next(place);
      place = next != places.end() && next->block == place->block ? places.erase(place) : next;
    }
  }

  Step& step_at(NodeId gpu, const Place& place) {
    return blocks_[static_cast<std::size_t>(gpu)][static_cast<std::size_t>(place.block)]
        .steps[static_cast<std::size_t>(place.step)];
  }

  bool number_steps() {
    for (auto& gpu : blocks_) {
      for (Block& block : gpu) {
        int next = 0;
        for (Step& step : block.steps) {
          step.printed = next + step.nops();
          next = step.printed + 1;
        }
        if (next > static_cast<int>(kMostSteps)) return false;
      }
    }
    return true;
  }

  // Copies each GPU's block for itself from its input to its output.
  void place_own() {
    const std::int64_t own = schedule_.size / grain_ / schedule_.accelerators() / schedule_.accelerators();
    for (NodeId node = 0; node < schedule_.accelerators(); ++node) {
      const int block = open(node, {});
      for (std::int64_t at = 0; at < own; at += kMostCount) {
        const auto offset = static_cast<int>(node * own + at);
        add(node, block, {"cpy", {'i', offset}, {'o', offset}, std::min(kMostCount, own - at)}, {});
      }
    }
  }

  // Returns the cell of a GPU that contains the data at `offset`. Data that an all-to-all forwards through
  // the GPU is in the scratch buffer.
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

  // Appends a step to the trace. It must follow the steps `after`. Returns the number of the new step.
  std::int32_t add(NodeId node, int block, Step step, std::span<const std::int32_t> after) {
    auto& steps = blocks_[static_cast<std::size_t>(node)][static_cast<std::size_t>(block)].steps;
    trace_.push_back({node, {block, static_cast<int>(steps.size())}});
    steps.push_back(std::move(step));
    const auto [known, added] =
        numbers_.try_emplace({node, block}, static_cast<std::int32_t>(numbers_.size()));
    return order_.add(known->second, after);
  }

  Connection& connect(NodeId src, NodeId dst, const TableEntry& entry) {
    Connection& connection = connections_[{src, dst, first_link(src, dst, entry)}];
    if (connection.steps < most_steps_) return connection;
    int& channels = channels_[{src, dst}];
    if (channels >= kMostChannels) {
      throw UnsupportedError(
          fmt::format("MSCCL allows {} channels of {} steps between two GPUs, but GPU {} needs more to send "
                      "to GPU {}: choose fewer chunks",
                      kMostChannels, most_steps_, src, dst));
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

  // Returns the link over which the message travels to a neighbour; -1 if there are other nodes on its path.
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
        print_block(gpu, static_cast<int>(b), blocks_[node]);
      }
    }
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default | pugi::format_no_declaration);
    return text.str();
  }

  static void print_block(pugi::xml_node& gpu, int id, const std::vector<Block>& blocks) {
    const Block& block = blocks[static_cast<std::size_t>(id)];
    pugi::xml_node tb = gpu.append_child("tb");
    tb.append_attribute("id") = id;
    tb.append_attribute("send") = block.send_to;
    tb.append_attribute("recv") = block.receive_from;
    tb.append_attribute("chan") = block.channel;
    for (const Step& step : block.steps) {
      int number = step.printed - step.nops();
      const auto print = [&](const Step& printed, const Place& after) {
        const int deps = after.block < 0 ? -1
                                         : blocks[static_cast<std::size_t>(after.block)]
                                               .steps[static_cast<std::size_t>(after.step)]
                                               .printed;
        print_step(tb, number++, printed, after.block, deps);
      };
      auto after = step.after.begin();
      for (int nop = 0; nop < step.nops(); ++nop, ++after) print({}, *after);
      print(step, after == step.after.end() ? Place() : *after);
    }
  }

  static void print_step(pugi::xml_node& tb, int number, const Step& step, int depends_on, int deps) {
    pugi::xml_node node = tb.append_child("step");
    node.append_attribute("s") = number;
    node.append_attribute("type") = step.type;
    node.append_attribute("srcbuf") = std::string(1, step.source.buffer).c_str();
    node.append_attribute("srcoff") = step.source.offset;
    node.append_attribute("dstbuf") = std::string(1, step.destination.buffer).c_str();
    node.append_attribute("dstoff") = step.destination.offset;
    node.append_attribute("cnt") = static_cast<long long>(step.count);
    node.append_attribute("depid") = depends_on;
    node.append_attribute("deps") = deps;
    node.append_attribute("hasdep") = step.needed ? 1 : 0;
  }

  const topology::Topology& topology_;
  const Schedule& schedule_;
  // Whether the schedule is an all-to-all whose buffer contains the blocks of all pairs.
  bool exchanges_ = false;
  std::size_t most_steps_;
  Bytes grain_ = 0;
  std::vector<std::vector<Block>> blocks_;  // [gpu]
  // [gpu]: scratch cells of the blocks that the GPU forwards.
  std::vector<std::map<std::int64_t, std::int64_t>> scratch_;
  std::map<std::tuple<NodeId, NodeId, topology::ChannelId>, Connection> connections_;
  std::map<std::pair<NodeId, NodeId>, int> channels_;
  // The number of messages that have arrived, by node and flow.
  std::map<std::pair<NodeId, std::int32_t>, std::int32_t> arrived_;
  StepOrder order_;
  std::vector<std::pair<NodeId, Place>> trace_;             // [step of order_]: node and position of the step
  std::map<std::pair<NodeId, int>, std::int32_t> numbers_;  // number of each block in order_
  int most_channels_ = 0;
};

// Writes the algorithm. Retries with half the number of steps per thread block until every block, including
// nops, stays within MSCCL's limit.
std::string write_msccl(const topology::Topology& topology, const Schedule& schedule, bool exchanges) {
  for (std::size_t most = kMostSteps; most > 0; most /= 2) {
    std::string text = MscclWriter(topology, schedule, exchanges, most).write();
    if (!text.empty()) return text;
  }
  throw UnsupportedError(fmt::format(
      "MSCCL allows {} steps per thread block, but one step depends on more steps: write --format json",
      kMostSteps));
}

}  // namespace

std::string to_msccl(const topology::Topology& topology, const Schedule& schedule) {
  return write_msccl(topology, schedule, false);
}

std::string all_to_all_to_msccl(const topology::Topology& topology, const Schedule& schedule) {
  return write_msccl(topology, schedule, true);
}

}  // namespace coppice::schedule
