#include "schedule/files/msccl_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.h"
#include "base/json_position.h"
#include "schedule/compile/table_builder.h"
#include "schedule/files/block_execution.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

constexpr int kMostChunks = 1 << 20;
constexpr int kMostChannels = 1 << 16;
constexpr int kMostBlocks = 1 << 16;  // per GPU

class MscclReader {
 public:
  MscclReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    const pugi::xml_parse_result parsed = document_.load_buffer(text.data(), text.size());
    if (!parsed) refuse(parsed.offset, fmt::format("not valid XML: {}", parsed.description()));
    algo_ = document_.child("algo");
    if (!algo_) {
      refuse(0, fmt::format("the XML element is <{}>, but an MSCCL algorithm is <algo>",
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
    refuse(algo_.offset_debug(),
           fmt::format("coll '{}' is not one of allreduce, allgather, reducescatter, broadcast, alltoall",
                       name));
  }

  Schedule read(const topology::Topology& topology, const CompileRequest& request) {
    read_head(topology, request);
    for (const pugi::xml_node gpu : algo_.children("gpu")) read_gpu(gpu);
    if (program_.blocks.size() != static_cast<std::size_t>(accelerators_)) {
      refuse(algo_.offset_debug(),
             fmt::format("{} <gpu> elements of ngpus {}", program_.blocks.size(), accelerators_));
    }
    std::vector<Send> sends;
    try {
      BlockExecution execution(program_);
      sends = spread(topology, staggered(execution.run(), accelerators_));
    } catch (const BlockFault& fault) {
      refuse(fault.place, fault.what());
    }
    Schedule schedule =
        build_schedule(topology, request, text_of(algo_, "name"), program_.buffers.cut(request), sends);
    require_one_buffer(topology, schedule);
    return schedule;
  }

 private:
  [[noreturn]] void refuse(std::ptrdiff_t offset, const std::string& what) const {
    throw ConfigError(
        location_of_byte(text_, file_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))), what);
  }

  std::string text_of(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute)
      refuse(node.offset_debug(), fmt::format("<{}> needs the attribute {}", node.name(), name));
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

  void read_head(const topology::Topology& topology, const CompileRequest& request) {
    accelerators_ = number_of(algo_, "ngpus", 2, 1 << 20);
    if (accelerators_ != topology.num_accelerators()) {
      refuse(algo_.offset_debug(), fmt::format("the algorithm is for {} GPUs; {} has {} accelerators",
                                               accelerators_, topology.name(), topology.num_accelerators()));
    }
    const int chunks = number_of(algo_, "nchunksperloop", 1, kMostChunks);
    const std::string name = collective();
    program_.buffers = {name, accelerators_, chunks, algo_.attribute("inplace").as_int(1) != 0, request.root};
    if (program_.buffers.per_gpu() && chunks % accelerators_ != 0) {
      refuse(algo_.offset_debug(), fmt::format("nchunksperloop {} is not a multiple of ngpus {}: every GPU "
                                               "needs the same number of chunks of {}",
                                               chunks, accelerators_, name));
    }
    if (algo_.attribute("nchannels")) channels_ = number_of(algo_, "nchannels", 1, kMostChannels);
  }

  // A peer other than the thread block's own GPU; -1: none.
  int peer_of(const pugi::xml_node& tb, const char* name) const {
    const int peer = number_of(tb, name, -1, accelerators_ - 1);
    if (peer + 1 == static_cast<int>(program_.blocks.size())) {
      refuse(tb.offset_debug(),
             fmt::format("{} {} is the GPU itself: name another, or -1 for none; cpy and re move "
                         "data within a GPU",
                         name, peer));
    }
    return peer;
  }

  void read_gpu(const pugi::xml_node& node) {
    if (number_of(node, "id", 0, accelerators_ - 1) != static_cast<int>(program_.blocks.size())) {
      refuse(node.offset_debug(),
             fmt::format("GPUs must be in order: expected id {}", program_.blocks.size()));
    }
    program_.buffers.declare({number_of(node, "i_chunks", 0, kMostChunks),
                              number_of(node, "o_chunks", 0, kMostChunks),
                              number_of(node, "s_chunks", 0, kMostChunks)});
    program_.places.push_back(node.offset_debug());
    auto& blocks = program_.blocks.emplace_back();
    for (const pugi::xml_node tb : node.children("tb")) {
      if (number_of(tb, "id", 0, kMostBlocks - 1) != static_cast<int>(blocks.size())) {
        refuse(tb.offset_debug(),
               fmt::format("thread blocks must be in order: expected id {}", blocks.size()));
      }
      ThreadBlock block;
      block.place = tb.offset_debug();
      block.send_to = peer_of(tb, "send");
      block.receive_from = peer_of(tb, "recv");
      block.channel = number_of(tb, "chan", 0, channels_ - 1);
      for (const pugi::xml_node step : tb.children("step")) block.steps.push_back(read_step(step, block));
      blocks.push_back(std::move(block));
    }
  }

  BlockStep read_step(const pugi::xml_node& node, const ThreadBlock& block) const {
    BlockStep step;
    step.place = node.offset_debug();
    if (number_of(node, "s", 0, 1 << 20) != static_cast<int>(block.steps.size())) {
      refuse(step.place, fmt::format("steps must be in order: expected s {}", block.steps.size()));
    }
    const std::string type = text_of(node, "type");
    const auto kind =
        std::ranges::find_if(kStepKinds, [&](const StepKind& known) { return type == known.name; });
    if (kind == kStepKinds.end()) {
      refuse(step.place,
             fmt::format("step type '{}' is not one of s, r, cpy, re, rrc, rrs, rcs, rrcs, nop", type));
    }
    step.kind = &*kind;
    step.block_before = number_of(node, "depid", -1, kMostBlocks - 1);
    if (step.block_before >= 0) step.step_before = number_of(node, "deps", 0, 1 << 20);
    step.signals = !node.attribute("hasdep") || number_of(node, "hasdep", 0, 1) == 1;
    if (!kind->moves()) return step;
    step.source = cell_of(node, "srcbuf", "srcoff");
    step.destination = cell_of(node, "dstbuf", "dstoff");
    step.count = number_of(node, "cnt", 1, kMostChunks);
    if (kind->sends && block.send_to < 0) refuse(step.place, "sends, but its block has send=\"-1\"");
    if (kind->receives && block.receive_from < 0)
      refuse(step.place, "receives, but its block has recv=\"-1\"");
    return step;
  }

  MscclCell cell_of(const pugi::xml_node& node, const char* buffer, const char* offset) const {
    const std::string name = text_of(node, buffer);
    if (name != "i" && name != "o" && name != "s") {
      refuse(node.offset_debug(), fmt::format("{} '{}' is not one of i, o, s", buffer, name));
    }
    return {name.front(), number_of(node, offset, 0, kMostChunks)};
  }

  // Thread blocks run side by side: their order in the file means nothing. If they share a port, each GPU
  // sends a round's messages in the order of their distance from it, so that GPUs do not all send to the same
  // one at once.
  static std::vector<BlockMessage> staggered(std::vector<BlockMessage> messages, int gpus) {
    std::ranges::stable_sort(messages, {}, [gpus](const BlockMessage& message) {
      return std::pair(message.round, (message.dst - message.src + gpus) % gpus);
    });
    return messages;
  }

  // Messages as sends: the channels of a connection alternate over the links between its ends, or follow the
  // routing without a link.
  static std::vector<Send> spread(const topology::Topology& topology,
                                  const std::vector<BlockMessage>& messages) {
    std::map<std::pair<NodeId, NodeId>, std::set<int>> channels_used;
    for (const BlockMessage& message : messages) {
      channels_used[{message.src, message.dst}].insert(message.channel);
    }
    std::vector<Send> sends;
    for (const BlockMessage& message : messages) {
      sends.push_back({message.complete ? Op::kGather : Op::kReduce, message.chunk, message.src, message.dst,
                       message.round, -1, -1});
      std::vector<topology::ChannelId> links;
      for (const topology::ChannelId id : topology.out_channels(message.src)) {
        if (topology.channel(id).dst == message.dst) links.push_back(id);
      }
      if (links.empty()) continue;
      const std::set<int>& used = channels_used.at({message.src, message.dst});
      const auto rank = static_cast<std::size_t>(std::distance(used.begin(), used.find(message.channel)));
      sends.back().channel = links[rank % links.size()];
    }
    return sends;
  }

  // MSCCL's GPUs separate data of different buffers, and data waiting to be received. An accelerator has one
  // buffer, to which sums are added on arrival; the proof of its tables finds out whether that makes a
  // difference.
  void require_one_buffer(const topology::Topology& topology, const Schedule& schedule) const {
    if (!program_.buffers.sums()) return;
    try {
      check_schedule(topology, schedule);
    } catch (const ScheduleError& error) {
      const bool scratch = std::ranges::any_of(program_.blocks, [](const auto& blocks) {
        return std::ranges::any_of(blocks, [](const ThreadBlock& block) {
          return std::ranges::any_of(block.steps, [](const BlockStep& step) {
            return step.kind->keeps && step.destination.buffer == 's';
          });
        });
      });
      refuse(algo_.offset_debug(),
             fmt::format(
                 "'{}' works on GPUs, which {}; an accelerator has one buffer and adds data as it arrives "
                 "({}): {}",
                 text_of(algo_, "name"),
                 scratch ? "hold received data in scratch until they add it, as one-pass algorithms do"
                         : "hold a message until the step that receives it",
                 error.what(),
                 scratch ? "use an algorithm that adds in place (two-pass), or a built-in one, such as direct"
                         : "let the send wait for the steps that must precede it"));
    }
  }

  std::string_view text_;
  std::string file_;
  pugi::xml_document document_;
  pugi::xml_node algo_;
  int accelerators_ = 0;
  int channels_ = kMostChannels;
  BlockProgram program_;
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
