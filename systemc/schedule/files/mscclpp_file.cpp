#include "schedule/files/mscclpp_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/index.h"
#include "schedule/files/block_messages.h"
#include "schedule/files/json_reader.h"
#include "schedule/files/plan_execution.h"

namespace coppice::schedule {
namespace {

using nlohmann::json;

constexpr int kMostPlanChunks = 1 << 20;
constexpr int kMostParts = 1 << 10;  // maximum number of parts of a chunk that blocks share
constexpr std::array kPlanCollectives{Named{"allreduce", "all_reduce"}, Named{"allgather", "all_gather"},
                                      Named{"reducescatter", "reduce_scatter"},
                                      Named{"alltoall", "all_to_all"}};

// The form of an operation that moves data: whether it adds, and which sources and targets consist of packets
// of the LL protocols.
struct PlanForm {
  bool sums;           // whether all sources are added; otherwise, source i goes to target i
  bool first_packets;  // whether the first source consists of packets
  bool other_packets;  // whether the other sources consist of packets
  int plain_targets;   // index of the first target that consists of packets
};
constexpr int kAllPlain = std::numeric_limits<int>::max();
constexpr PlanForm kCopies{false, false, false, kAllPlain};
constexpr PlanForm kToPackets{false, false, false, 0};
constexpr PlanForm kReduces{true, false, false, kAllPlain};
constexpr PlanForm kReducesPackets{true, false, true, 1};
constexpr std::array kForms{Named{"copy", kCopies},
                            Named{"put", kCopies},
                            Named{"pws", kCopies},
                            Named{"pwsf", kCopies},
                            Named{"get", kCopies},
                            Named{"ppkt", kToPackets},
                            Named{"cpkt", kToPackets},
                            Named{"upkt", PlanForm{false, true, true, kAllPlain}},
                            Named{"rppkt", PlanForm{true, true, true, 0}},
                            Named{"re", kReduces},
                            Named{"rre", kReduces},
                            Named{"res", kReduces},
                            Named{"rres", kReduces},
                            Named{"repkt", kReducesPackets},
                            Named{"respkt", kReducesPackets},
                            Named{"recpkt", kReducesPackets},
                            Named{"recspkt", kReducesPackets}};
constexpr std::array kChannelTypes{Named{"memory", 0}, Named{"port", 1}};
constexpr std::array kBuffers{Named{"i", 'i'}, Named{"o", 'o'}, Named{"s", 's'}};

class PlanReader : JsonReader {
 public:
  PlanReader(std::string_view text, const std::string& file)
      : JsonReader(text, file), document_(parse()), root_{document_, ""} {
    if (!document_.is_object()) refuse(root_, "must be an object");
  }

  std::string collective() const { return one_of(field(root_, "collective"), kPlanCollectives); }

  Schedule read(const topology::Topology& topology, const CompileRequest& request) {
    const Value gpus = list(root_, "gpus");
    const auto count = static_cast<int>(gpus.json_value.size());
    if (count != topology.num_accelerators()) {
      refuse(gpus, fmt::format("the plan is for {} GPUs, but {} has {} accelerators", count, topology.name(),
                               topology.num_accelerators()));
    }
    parts_ = parts_of(gpus);
    read_buffers(gpus);
    for (int g = 0; g < count; ++g) read_channels(element(gpus, index(g)));
    for (int g = 0; g < count; ++g) read_blocks(element(gpus, index(g)), g);
    std::vector<BlockMessage> messages;
    try {
      messages = PlanExecution(plan_).run();
    } catch (const BlockFault& fault) {
      refuse_fault(gpus, fault);
    }
    Schedule schedule = schedule_of_messages(topology, request, text(field(root_, "name")), plan_.buffers,
                                             std::move(messages));
    if (!plan_.buffers.sums()) return schedule;
    const std::string fault = one_buffer_fault(topology, schedule, true);
    if (!fault.empty()) refuse(root_, fault);
    return schedule;
  }

 private:
  struct ThreadBlockRefs {
    // [type][number in the block]: number of the channel at the GPU.
    std::array<std::vector<int>, 2> channels;
    std::array<std::vector<int>, 2>
        remote_buffers;  // [type][number in the block]: number of the remote buffer
  };

  [[noreturn]] void refuse_fault(const Value& gpus, const BlockFault& fault) const {
    if (fault.block < 0) refuse(element(gpus, index(fault.gpu)), fault.what());
    const PlanOp& op = plan_.blocks[index(fault.gpu)][index(fault.block)][index(fault.step)];
    refuse({document_, op.pointer}, fault.what());
  }

  int count_of(const Value& object, const char* name) const {
    return static_cast<int>(integer(field(object, name), 0, kMostPlanChunks));
  }

  // Returns the smallest number of parts per chunk such that every block of a group processes whole parts.
  int parts_of(const Value& gpus) const {
    int parts = 1;
    for (std::size_t g = 0; g < gpus.json_value.size(); ++g) {
      const Value blocks = list(element(gpus, g), "threadblocks");
      for (std::size_t b = 0; b < blocks.json_value.size(); ++b) {
        share(list(element(blocks, b), "ops"), parts);
      }
    }
    return parts;
  }
  void share(const Value& ops, int& parts) const {
    for (std::size_t o = 0; o < ops.json_value.size(); ++o) {
      const Value op = element(ops, o);
      if (op.json_value.contains("ops")) share(list(op, "ops"), parts);
      if (!op.json_value.contains("tbg_info")) continue;
      const Value size = field(field(op, "tbg_info"), "tbg_size");
      parts = std::lcm(parts, static_cast<int>(integer(size, 1, kMostParts)));
      if (parts > kMostParts) refuse(size, fmt::format("divides chunks into more than {} parts", kMostParts));
    }
  }

  void read_buffers(const Value& gpus) {
    const auto count = static_cast<int>(gpus.json_value.size());
    const std::string name = collective();
    int chunks = 0;
    std::vector<MscclBuffers::Sizes> sizes;
    for (int g = 0; g < count; ++g) {
      const Value gpu = element(gpus, index(g));
      if (integer(field(gpu, "id"), 0, count - 1) != g)
        refuse(field(gpu, "id"), fmt::format("must be {}", g));
      const int in = parts_ * count_of(gpu, "input_chunks");
      const int out = parts_ * count_of(gpu, "output_chunks");
      const int whole = name == "all_gather" ? in * count : in;
      if (g > 0 && whole != chunks) refuse(field(gpu, "input_chunks"), "differs from that of GPU 0");
      chunks = whole;
      sizes.push_back({in, out, parts_ * count_of(gpu, "scratch_chunks")});
    }
    if (chunks == 0 || chunks % count != 0) {
      refuse(field(element(gpus, 0), "input_chunks"),
             fmt::format("must be a multiple of the {} GPUs for {}", count, name));
    }
    plan_.buffers = {name, count, chunks, flag(field(root_, "inplace"))};
    for (const MscclBuffers::Sizes& size : sizes) plan_.buffers.declare(size);
  }

  void read_channels(const Value& gpu) {
    auto& peers = peers_.emplace_back();
    const Value channels = list(gpu, "channels");
    for (std::size_t i = 0; i < channels.json_value.size(); ++i) {
      const Value channel = element(channels, i);
      const Value type = field(channel, "channel_type");
      if (text(type) == "switch") refuse_multicast(type);
      const Value to = list(channel, "connected_to");
      for (std::size_t c = 0; c < to.json_value.size(); ++c) {
        peers[index(one_of(type, kChannelTypes))].push_back(
            static_cast<int>(integer(element(to, c), 0, plan_.buffers.gpus() - 1)));
      }
    }
  }

  [[noreturn]] void refuse_multicast(const Value& value) const {
    refuse(value,
           "multicast and reduction by switches are not supported here: use a plan with memory or port "
           "channels, or collective.algorithm: nvls");
  }

  void read_blocks(const Value& gpu, int number) {
    auto& semaphores = plan_.semaphores.emplace_back();
    if (gpu.json_value.contains("semaphores")) {
      const Value all = list(gpu, "semaphores");
      for (std::size_t s = 0; s < all.json_value.size(); ++s) {
        semaphores.push_back(count_of(element(all, s), "init_value"));
      }
    }
    remote_.clear();
    const Value buffers = list(gpu, "remote_buffers");
    for (std::size_t r = 0; r < buffers.json_value.size(); ++r) {
      const Value buffer = element(buffers, r);
      const auto rank = integer(field(buffer, "rank"), 0, plan_.buffers.gpus() - 1);
      remote_.emplace_back(static_cast<NodeId>(rank), one_of(field(buffer, "type"), kBuffers));
    }
    auto& blocks = plan_.blocks.emplace_back();
    const Value all = list(gpu, "threadblocks");
    for (std::size_t b = 0; b < all.json_value.size(); ++b) {
      const Value block = element(all, b);
      refs_ = {read_refs(block, "channels", "channel_type", "channel_ids"),
               read_refs(block, "remote_buffer_refs", "access_channel_type", "remote_buffer_ids")};
      read_ops(list(block, "ops"), number, blocks.emplace_back());
    }
  }

  std::array<std::vector<int>, 2> read_refs(const Value& block, const char* name, const char* type,
                                            const char* ids) const {
    std::array<std::vector<int>, 2> refs;
    if (!block.json_value.contains(name)) return refs;
    const Value all = list(block, name);
    for (std::size_t i = 0; i < all.json_value.size(); ++i) {
      const Value kind = field(element(all, i), type);
      if (text(kind) == "switch") refuse_multicast(kind);
      const Value numbers = list(element(all, i), ids);
      for (std::size_t n = 0; n < numbers.json_value.size(); ++n) {
        refs[index(one_of(kind, kChannelTypes))].push_back(int32(element(numbers, n), 0));
      }
    }
    return refs;
  }

  void read_ops(const Value& ops, int gpu, std::vector<PlanOp>& into) const {
    for (std::size_t o = 0; o < ops.json_value.size(); ++o) {
      const Value op = element(ops, o);
      const std::string name = text(field(op, "name"));
      if (name == "nop" || name == "flush") continue;  // operations of a block are always executed in order
      if (name == "pipeline") {
        read_ops(list(op, "ops"), gpu, into);
        continue;
      }
      into.push_back(read_op(op, name, gpu));
      into.back().pointer = op.pointer;
    }
  }

  PlanOp read_op(const Value& value, const std::string& name, int gpu) const {
    PlanOp op;
    if (name == "signal" || name == "rlxsignal" || name == "pws" || name == "pwsf") {
      for (const int channel : channels_of(value, gpu)) op.signals.push_back(peer_end(value, gpu, channel));
    }
    if (name == "wait" || name == "rlxwait") {
      for (const int channel : channels_of(value, gpu)) op.waits.emplace_back(gpu, channel);
    }
    if (name == "sem_acquire") op.acquires = semaphores_of(value, gpu);
    if (name == "sem_release") op.releases = semaphores_of(value, gpu);
    if (name == "barrier") {
      op.barrier = int32(field(value, "barrier_id"), 0);
      op.barrier_blocks = int32(field(value, "num_threadblocks"), 1);
    }
    const auto form = std::ranges::find_if(kForms, [&](const auto& known) { return name == known.name; });
    if (form != kForms.end()) {
      op.moves = moves_of(value, form->value, gpu);
    } else if (op.signals.empty() && op.waits.empty() && op.acquires.empty() && op.releases.empty() &&
               op.barrier < 0) {
      if (name.starts_with("g")) refuse_multicast(field(value, "name"));
      refuse(field(value, "name"), fmt::format("'{}' is not an operation of a plan", name));
    }
    return op;
  }

  std::vector<int> semaphores_of(const Value& op, int gpu) const {
    const Value ids = list(op, "semaphore_ids");
    std::vector<int> semaphores;
    for (std::size_t i = 0; i < ids.json_value.size(); ++i) {
      const auto most = static_cast<std::int64_t>(plan_.semaphores[index(gpu)].size()) - 1;
      semaphores.push_back(static_cast<int>(integer(element(ids, i), 0, most)));
    }
    return semaphores;
  }

  // Returns the numbers, at the GPU, of an operation's channels. Channels of type port are numbered after all
  // channels of type memory.
  std::vector<int> channels_of(const Value& op, int gpu) const {
    const int type = one_of(field(op, "channel_type"), kChannelTypes);
    const std::vector<int>& own = refs_.channels[index(type)];
    const Value ids = list(op, "channel_ids");
    std::vector<int> channels;
    for (std::size_t i = 0; i < ids.json_value.size(); ++i) {
      const Value id = element(ids, i);
      const int number = own[index(integer(id, 0, static_cast<std::int64_t>(own.size()) - 1))];
      if (index(number) >= peers_[index(gpu)][index(type)].size())
        refuse(id, "does not name a channel of the GPU");
      channels.push_back(type * kMostPlanChunks + number);
    }
    return channels;
  }

  // Returns the other end of a channel. The n-th channel of a GPU to a peer is connected to the n-th channel
  // of the peer to the GPU.
  PlanChannel peer_end(const Value& op, int gpu, int channel) const {
    const int type = channel / kMostPlanChunks;
    const int number = channel % kMostPlanChunks;
    const std::vector<int>& own = peers_[index(gpu)][index(type)];
    const int peer = own[index(number)];
    const auto before = std::count(own.begin(), own.begin() + number, peer);
    const std::vector<int>& theirs = peers_[index(peer)][index(type)];
    std::int64_t met = 0;
    for (std::size_t c = 0; c < theirs.size(); ++c) {
      if (theirs[c] == gpu && met++ == before) return {peer, type * kMostPlanChunks + static_cast<int>(c)};
    }
    refuse(op, fmt::format("GPU {} has no channel back to GPU {}", peer, gpu));
  }

  std::vector<PlanMove> moves_of(const Value& op, const PlanForm& form, int gpu) const {
    if (op.json_value.contains("reduce_op") && text(field(op, "reduce_op")) != "sum") {
      refuse(field(op, "reduce_op"), "must be sum: Coppice only adds");
    }
    const Value from = list(op, "src_buff");
    const Value to = list(op, "dst_buff");
    PlanMove all;
    for (std::size_t s = 0; s < from.json_value.size(); ++s) {
      all.sources.push_back(
          range_of(op, element(from, s), gpu, s == 0 ? form.first_packets : form.other_packets));
    }
    for (std::size_t t = 0; t < to.json_value.size(); ++t) {
      all.targets.push_back(
          range_of(op, element(to, t), gpu, static_cast<std::int64_t>(t) >= form.plain_targets));
    }
    if (all.sources.empty() || all.targets.empty()) refuse(op, "needs src_buff and dst_buff");
    const auto differs = [&](const PlanRange& range) { return range.count != all.sources.front().count; };
    if (form.sums || all.sources.size() == 1) {
      if (std::ranges::any_of(all.sources, differs) || std::ranges::any_of(all.targets, differs))
        refuse(op, "the sizes of its buffers differ");
      return {std::move(all)};
    }
    if (all.sources.size() != all.targets.size())
      refuse(op, "src_buff and dst_buff have different numbers of buffers");
    std::vector<PlanMove> moves;
    for (std::size_t i = 0; i < all.sources.size(); ++i) {
      if (all.sources[i].count != all.targets[i].count) refuse(op, "the sizes of its buffers differ");
      moves.push_back({{all.sources[i]}, {all.targets[i]}});
    }
    return moves;
  }

  // `packets` states whether the range consists of packets. If a port channel sends packets, both ends
  // consist of packets.
  PlanRange range_of(const Value& op, const Value& chunk, int gpu, bool packets) const {
    PlanRange range{gpu, {'i', parts_ * count_of(chunk, "index")}, parts_ * count_of(chunk, "size")};
    const bool by_port = op.json_value.contains("channel_type") && text(field(op, "channel_type")) == "port";
    if (chunk.json_value.contains("buffer_id")) {
      const auto& refs = refs_.remote_buffers[by_port ? 1 : 0];
      const Value id = field(chunk, "buffer_id");
      const int number = refs[index(integer(id, 0, static_cast<std::int64_t>(refs.size()) - 1))];
      if (index(number) >= remote_.size()) refuse(id, "does not name a remote buffer of the GPU");
      std::tie(range.gpu, range.first.buffer) = remote_[index(number)];
    } else {
      range.first.buffer = one_of(field(chunk, "type"), kBuffers);
    }
    if (packets || (by_port && text(field(op, "name")) == "ppkt")) range.first.buffer = kPacketBuffer;
    if (!op.json_value.contains("tbg_info")) return range;
    const Value group = field(op, "tbg_info");
    const auto blocks = static_cast<int>(integer(field(group, "tbg_size"), 1, kMostParts));
    range.count /= blocks;
    range.first.offset += range.count * static_cast<int>(integer(field(group, "tb_id"), 0, blocks - 1));
    return range;
  }

  json document_;
  Value root_;
  int parts_ = 1;
  std::vector<std::array<std::vector<int>, 2>> peers_;  // [gpu][type]
  std::vector<std::pair<NodeId, char>> remote_;         // remote buffers of the GPU that is being read
  ThreadBlockRefs refs_;                                // references of the thread block that is being read
  Plan plan_;
};

}  // namespace

bool looks_like_plan(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         text.find("\"threadblocks\"") != std::string_view::npos;
}

Schedule parse_plan(std::string_view text, const std::string& file, const topology::Topology& topology,
                    const CompileRequest& request) {
  return PlanReader(text, file).read(topology, request);
}

std::string plan_collective(std::string_view text, const std::string& file) {
  return PlanReader(text, file).collective();
}

}  // namespace coppice::schedule
