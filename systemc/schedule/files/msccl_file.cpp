#include "schedule/files/msccl_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.h"
#include "base/json_position.h"
#include "schedule/compile/table_builder.h"
#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {
namespace {

constexpr int kMostChunks = 1 << 20;

enum class StepType : std::uint8_t {
  kSend,
  kReceive,
  kCopy,
  kReduce,
  kReceiveReduceCopy,
  kReceiveReduceSend,
  kReceiveCopySend,
  kReceiveReduceCopySend,
  kNop
};

// What a step does besides: whether it receives, adds its own, keeps the outcome, and sends it.
struct StepKind {
  const char* name;
  StepType type;
  bool receives;
  bool adds;
  bool keeps;
  bool sends;
};
constexpr std::array kKinds{
    StepKind{"s", StepType::kSend, false, false, false, true},
    StepKind{"r", StepType::kReceive, true, false, true, false},
    StepKind{"cpy", StepType::kCopy, false, false, true, false},
    StepKind{"re", StepType::kReduce, false, true, true, false},
    StepKind{"rrc", StepType::kReceiveReduceCopy, true, true, true, false},
    StepKind{"rrs", StepType::kReceiveReduceSend, true, true, false, true},
    StepKind{"rcs", StepType::kReceiveCopySend, true, false, true, true},
    StepKind{"rrcs", StepType::kReceiveReduceCopySend, true, true, true, true},
    StepKind{"nop", StepType::kNop, false, false, false, false},
};

using Cell = MscclCell;

struct Step {
  const StepKind* kind = nullptr;
  Cell source;
  Cell destination;
  int count = 1;
  int block_before = -1;  // a step of this block must be done before; -1: none
  int step_before = -1;
  std::ptrdiff_t offset = 0;  // in the file
};

// A thread block: its steps run in order.
struct Block {
  int send_to = -1;
  int receive_from = -1;
  int channel = 0;
  std::vector<Step> steps;
  std::size_t done = 0;
};

// What a cell holds: the sum of some GPUs' data of one chunk. Cells and messages with the same value share
// the set.
struct Value {
  int chunk = 0;
  std::shared_ptr<const std::set<NodeId>> contributions;
};

struct Delivery {
  std::vector<Value> values;
  int round = 0;
};

class MscclReader {
 public:
  MscclReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    const pugi::xml_parse_result parsed = document_.load_buffer(text.data(), text.size());
    if (!parsed) refuse(parsed.offset, fmt::format("not valid XML: {}", parsed.description()));
    algo_ = document_.child("algo");
    if (!algo_) {
      refuse(0, fmt::format("this XML is <{}>, not an MSCCL algorithm, which is <algo>",
                            document_.first_child().name()));
    }
  }

  std::string collective() const {
    const std::string name = text_of(algo_, "coll");
    if (name == "allreduce") return "all_reduce";
    if (name == "allgather") return "all_gather";
    if (name == "reducescatter" || name == "reduce_scatter") return "reduce_scatter";
    if (name == "broadcast") return "broadcast";
    if (name == "alltoall") return "all_to_all";
    refuse(
        algo_.offset_debug(),
        fmt::format("coll '{}' is none of allreduce, allgather, reducescatter, broadcast, alltoall", name));
  }

  Schedule read(const topology::Topology& topology, const CompileRequest& request) {
    read_head(topology);
    for (const pugi::xml_node gpu : algo_.children("gpu")) read_gpu(gpu);
    if (gpus_.size() != static_cast<std::size_t>(accelerators_)) {
      refuse(algo_.offset_debug(), fmt::format("{} <gpu> elements of ngpus {}", gpus_.size(), accelerators_));
    }
    fill_inputs(request);
    execute();
    require_outputs();
    const std::vector<Send> sends = spread(topology);
    return build_schedule(topology, request, text_of(algo_, "name"), buffers_.cut(request), sends);
  }

 private:
  [[noreturn]] void refuse(std::ptrdiff_t offset, const std::string& what) const {
    throw ConfigError(
        place_of_byte(text_, file_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))), what);
  }

  std::string text_of(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) refuse(node.offset_debug(), fmt::format("<{}> has no {}", node.name(), name));
    return attribute.value();
  }

  int number_of(const pugi::xml_node& node, const char* name, int least, int most) const {
    const std::string text = text_of(node, name);
    char* end = nullptr;
    const long long number = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || number < least || number > most) {
      refuse(node.offset_debug(), fmt::format("{} of <{}> must be a whole number from {} to {}, not '{}'",
                                              name, node.name(), least, most, text));
    }
    return static_cast<int>(number);
  }

  void read_head(const topology::Topology& topology) {
    accelerators_ = number_of(algo_, "ngpus", 2, 1 << 20);
    if (accelerators_ != topology.num_accelerators()) {
      refuse(algo_.offset_debug(), fmt::format("the algorithm is for {} GPUs; {} has {} accelerators",
                                               accelerators_, topology.name(), topology.num_accelerators()));
    }
    chunks_ = number_of(algo_, "nchunksperloop", 1, kMostChunks);
    collective_ = collective();
    buffers_ = {collective_, accelerators_, chunks_, algo_.attribute("inplace").as_int(1) != 0};
    if (buffers_.per_gpu() && chunks_ % accelerators_ != 0) {
      refuse(algo_.offset_debug(),
             fmt::format("nchunksperloop {} is no multiple of ngpus {}: every GPU has as "
                         "many chunks of {}",
                         chunks_, accelerators_, collective_));
    }
  }

  // Another GPU than the last of gpus_, whose block it is; -1: none.
  int peer_of(const pugi::xml_node& tb, const char* name) const {
    const int peer = number_of(tb, name, -1, accelerators_ - 1);
    if (peer + 1 == static_cast<int>(gpus_.size())) {
      refuse(tb.offset_debug(),
             fmt::format("{} {} is the GPU itself: name another, or -1 for none; cpy and re move "
                         "data within a GPU",
                         name, peer));
    }
    return peer;
  }

  void read_gpu(const pugi::xml_node& node) {
    if (number_of(node, "id", 0, accelerators_ - 1) != static_cast<int>(gpus_.size())) {
      refuse(node.offset_debug(), fmt::format("GPUs come in order: expected id {}", gpus_.size()));
    }
    auto& blocks = gpus_.emplace_back();
    for (const pugi::xml_node tb : node.children("tb")) {
      if (number_of(tb, "id", 0, 1 << 16) != static_cast<int>(blocks.size())) {
        refuse(tb.offset_debug(), fmt::format("thread blocks come in order: expected id {}", blocks.size()));
      }
      Block block;
      block.send_to = peer_of(tb, "send");
      block.receive_from = peer_of(tb, "recv");
      block.channel = number_of(tb, "chan", 0, 1 << 16);
      for (const pugi::xml_node step : tb.children("step")) block.steps.push_back(read_step(step, block));
      blocks.push_back(std::move(block));
    }
    for (const Block& block : blocks) {
      for (const Step& step : block.steps) {
        const bool there =
            step.block_before < static_cast<int>(blocks.size()) &&
            (step.block_before < 0 ||
             step.step_before <
                 static_cast<int>(blocks[static_cast<std::size_t>(step.block_before)].steps.size()));
        if (!there) {
          refuse(step.offset, fmt::format("depends on step {} of block {}, which is not there",
                                          step.step_before, step.block_before));
        }
      }
    }
  }

  Step read_step(const pugi::xml_node& node, const Block& block) const {
    Step step;
    step.offset = node.offset_debug();
    const std::string type = text_of(node, "type");
    const auto kind = std::ranges::find_if(kKinds, [&](const StepKind& known) { return type == known.name; });
    if (kind == kKinds.end()) {
      refuse(step.offset,
             fmt::format("step type '{}' is none of s, r, cpy, re, rrc, rrs, rcs, rrcs, nop", type));
    }
    step.kind = &*kind;
    step.block_before = number_of(node, "depid", -1, 1 << 16);
    if (step.block_before >= 0) step.step_before = number_of(node, "deps", 0, 1 << 20);
    if (kind->type == StepType::kNop) return step;
    step.source = cell_of(node, "srcbuf", "srcoff");
    step.destination = cell_of(node, "dstbuf", "dstoff");
    step.count = number_of(node, "cnt", 1, kMostChunks);
    if (kind->sends && block.send_to < 0) refuse(step.offset, "sends, but its block has send=\"-1\"");
    if (kind->receives && block.receive_from < 0)
      refuse(step.offset, "receives, but its block has recv=\"-1\"");
    return step;
  }

  Cell cell_of(const pugi::xml_node& node, const char* buffer, const char* offset) const {
    const std::string name = text_of(node, buffer);
    if (name != "i" && name != "o" && name != "s") {
      refuse(node.offset_debug(), fmt::format("{} '{}' is none of i, o, s", buffer, name));
    }
    return {name.front(), number_of(node, offset, 0, kMostChunks)};
  }

  void fill_inputs(const CompileRequest& request) {
    cells_.resize(gpus_.size());
    for (NodeId gpu = 0; gpu < accelerators_; ++gpu) {
      if (collective_ == "broadcast" && gpu != request.root) continue;
      const auto alone = std::make_shared<const std::set<NodeId>>(std::set{gpu});
      for (const auto& [cell, chunk] : buffers_.inputs(gpu)) {
        cells_[static_cast<std::size_t>(gpu)][cell] = {chunk, alone};
      }
    }
  }

  void require_outputs() const {
    NodeId gpu = 0;
    for (const pugi::xml_node node : algo_.children("gpu")) {
      const auto& cells = cells_[static_cast<std::size_t>(gpu)];
      for (const auto& [cell, chunk] : buffers_.outputs(gpu)) {
        const auto found = cells.find(cell);
        if (found != cells.end() && found->second.chunk == chunk) continue;
        const int own = chunks_ / accelerators_;
        refuse(node.offset_debug(),
               fmt::format("in the end, chunk {} of GPU {}'s output is not chunk {} of GPU {}'s input",
                           cell.offset, gpu, gpu * own + cell.offset % own, cell.offset / own));
      }
      ++gpu;
    }
  }

  // Rounds: a block goes on until it has sent a message, or must wait for one that is sent in this round.
  void execute() {
    bool moved = true;
    for (int round = 1; moved; ++round) {
      moved = false;
      for (NodeId gpu = 0; gpu < accelerators_; ++gpu) {
        for (Block& block : gpus_[static_cast<std::size_t>(gpu)]) {
          bool sent = false;
          while (!sent && block.done < block.steps.size() && may_run(gpu, block, round)) {
            const Step& step = block.steps[block.done];
            run(gpu, block, step, round);
            ++block.done;
            moved = true;
            sent = step.kind->sends;
          }
        }
      }
    }
    for (NodeId gpu = 0; gpu < accelerators_; ++gpu) {
      for (const Block& block : gpus_[static_cast<std::size_t>(gpu)]) {
        if (block.done == block.steps.size()) continue;
        refuse(
            block.steps[block.done].offset,
            fmt::format("GPU {} waits here for ever: what it receives is not sent, or what it depends on is "
                        "not done",
                        gpu));
      }
    }
  }

  bool may_run(NodeId gpu, const Block& block, int round) const {
    const Step& step = block.steps[block.done];
    if (step.block_before >= 0) {
      const Block& before = gpus_[static_cast<std::size_t>(gpu)][static_cast<std::size_t>(step.block_before)];
      if (before.done <= static_cast<std::size_t>(step.step_before)) return false;
    }
    if (!step.kind->receives) return true;
    const auto queue = under_way_.find({block.receive_from, gpu, block.channel});
    return queue != under_way_.end() && !queue->second.empty() && queue->second.front().round < round;
  }

  void run(NodeId gpu, const Block& block, const Step& step, int round) {
    if (step.kind->type == StepType::kNop) return;
    std::vector<Value> values;
    if (step.kind->receives) {
      auto& queue = under_way_[{block.receive_from, gpu, block.channel}];
      values = std::move(queue.front().values);
      queue.pop_front();
      if (values.size() != static_cast<std::size_t>(step.count)) {
        refuse(step.offset, fmt::format("receives {} chunks of a message of {}", step.count, values.size()));
      }
    } else {
      values = held(gpu, step, step.source);
    }
    if (step.kind->adds) {
      const Cell& other = step.kind->receives ? step.source : step.destination;
      add(values, held(gpu, step, other), step);
    }
    if (step.kind->keeps) {
      auto& cells = cells_[static_cast<std::size_t>(gpu)];
      for (int i = 0; i < step.count; ++i) {
        const Cell cell = buffers_.placed(gpu, {step.destination.buffer, step.destination.offset + i});
        cells[cell] = values[static_cast<std::size_t>(i)];
      }
    }
    if (step.kind->sends) send(gpu, block, std::move(values), round);
  }

  std::vector<Value> held(NodeId gpu, const Step& step, const Cell& from) const {
    const auto& cells = cells_[static_cast<std::size_t>(gpu)];
    std::vector<Value> values;
    for (int i = 0; i < step.count; ++i) {
      const auto found = cells.find(buffers_.placed(gpu, {from.buffer, from.offset + i}));
      if (found == cells.end()) {
        refuse(step.offset,
               fmt::format("GPU {} reads chunk {} of buffer {}, which nothing has been written to", gpu,
                           from.offset + i, from.buffer));
      }
      values.push_back(found->second);
    }
    return values;
  }

  void add(std::vector<Value>& sums, const std::vector<Value>& others, const Step& step) const {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].chunk != others[i].chunk) {
        refuse(step.offset, fmt::format("adds chunk {} to chunk {}", others[i].chunk, sums[i].chunk));
      }
      std::set<NodeId> sum = *sums[i].contributions;
      for (const NodeId contribution : *others[i].contributions) {
        if (sum.insert(contribution).second) continue;
        refuse(step.offset,
               fmt::format("adds the data of GPU {} to chunk {} twice", contribution, sums[i].chunk));
      }
      sums[i].contributions = std::make_shared<const std::set<NodeId>>(std::move(sum));
    }
  }

  void send(NodeId gpu, const Block& block, std::vector<Value> values, int round) {
    const bool sums = collective_ == "all_reduce" || collective_ == "reduce_scatter";
    channels_used_[{gpu, block.send_to}].insert(block.channel);
    for (const Value& value : values) {
      const bool final = !sums || value.contributions->size() == static_cast<std::size_t>(accelerators_);
      sends_.push_back({final ? Op::kGather : Op::kReduce, value.chunk, gpu, block.send_to, round, -1, -1});
      send_channels_.push_back(block.channel);
    }
    under_way_[{gpu, block.send_to, block.channel}].push_back({std::move(values), round});
  }

  // The sends with channels of a connection in turn over the links between its ends; routed where there is
  // none.
  std::vector<Send> spread(const topology::Topology& topology) {
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      Send& send = sends_[i];
      std::vector<topology::ChannelId> links;
      for (const topology::ChannelId id : topology.out_channels(send.src)) {
        if (topology.channel(id).dst == send.dst) links.push_back(id);
      }
      if (links.empty()) continue;
      const std::set<int>& used = channels_used_.at({send.src, send.dst});
      const auto rank = static_cast<std::size_t>(std::distance(used.begin(), used.find(send_channels_[i])));
      send.channel = links[rank % links.size()];
    }
    return sends_;
  }

  std::string_view text_;
  std::string file_;
  pugi::xml_document document_;
  pugi::xml_node algo_;
  int accelerators_ = 0;
  int chunks_ = 0;
  std::string collective_;
  MscclBuffers buffers_;
  std::vector<std::vector<Block>> gpus_;
  std::vector<std::map<Cell, Value>> cells_;                                   // [gpu]
  std::map<std::tuple<NodeId, NodeId, int>, std::deque<Delivery>> under_way_;  // source, destination, channel
  std::map<std::pair<NodeId, NodeId>, std::set<int>> channels_used_;
  std::vector<Send> sends_;
  std::vector<int> send_channels_;  // of sends_
};

}  // namespace

bool looks_like_xml(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] == '<';
}

Schedule parse_msccl(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request) {
  return MscclReader(text, file).read(topology, request);
}

std::string msccl_collective(std::string_view text, const std::string& file) {
  return MscclReader(text, file).collective();
}

}  // namespace coppice::schedule
