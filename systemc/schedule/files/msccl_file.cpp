#include "schedule/files/msccl_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.h"
#include "base/json_position.h"
#include "schedule/files/block_execution.h"
#include "schedule/files/block_messages.h"

namespace coppice::schedule {
namespace {

constexpr int kMostChunks = 1 << 20;
constexpr int kMostChannels = 1 << 16;
constexpr int kMostBlocks = 1 << 16;  // maximum number of thread blocks per GPU

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
      refuse(algo_.offset_debug(), fmt::format("the file has {} <gpu> elements, but ngpus is {}",
                                               program_.blocks.size(), accelerators_));
    }
    std::vector<BlockMessage> messages;
    try {
      messages = BlockExecution(program_).run();
    } catch (const BlockFault& fault) {
      refuse(fault.place, fault.what());
    }
    Schedule schedule = schedule_of_messages(topology, request, text_of(algo_, "name"), program_.buffers,
                                             std::move(messages));
    if (!program_.buffers.sums()) return schedule;
    const std::string fault = one_buffer_fault(topology, schedule, keeps_scratch());
    if (!fault.empty()) refuse(algo_.offset_debug(), fault);
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
      refuse(algo_.offset_debug(), fmt::format("the algorithm is for {} GPUs, but {} has {} accelerators",
                                               accelerators_, topology.name(), topology.num_accelerators()));
    }
    const int chunks = number_of(algo_, "nchunksperloop", 1, kMostChunks);
    const std::string name = collective();
    program_.buffers = {name, accelerators_, chunks, algo_.attribute("inplace").as_int(1) != 0, request.root};
    if (program_.buffers.per_gpu() && chunks % accelerators_ != 0) {
      refuse(algo_.offset_debug(), fmt::format("nchunksperloop {} is not a multiple of ngpus {}: every GPU "
                                               "needs the same number of chunks for {}",
                                               chunks, accelerators_, name));
    }
    if (algo_.attribute("nchannels")) channels_ = number_of(algo_, "nchannels", 1, kMostChannels);
  }

  // Reads a peer, which must not be the thread block's own GPU; -1 if there is none.
  int peer_of(const pugi::xml_node& tb, const char* name) const {
    const int peer = number_of(tb, name, -1, accelerators_ - 1);
    if (peer + 1 == static_cast<int>(program_.blocks.size())) {
      refuse(tb.offset_debug(), fmt::format("{} {} is the GPU itself: write another GPU, or -1 for none. Use "
                                            "cpy or re to move data within a GPU",
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
    if (kind->sends && block.send_to < 0)
      refuse(step.place, "sends, but its block has send=\"-1\": set send to the receiving GPU");
    if (kind->receives && block.receive_from < 0)
      refuse(step.place, "receives, but its block has recv=\"-1\": set recv to the sending GPU");
    return step;
  }

  MscclCell cell_of(const pugi::xml_node& node, const char* buffer, const char* offset) const {
    const std::string name = text_of(node, buffer);
    if (name != "i" && name != "o" && name != "s") {
      refuse(node.offset_debug(), fmt::format("{} '{}' is not one of i, o, s", buffer, name));
    }
    return {name.front(), number_of(node, offset, 0, kMostChunks)};
  }

  bool keeps_scratch() const {
    return std::ranges::any_of(program_.blocks, [](const auto& blocks) {
      return std::ranges::any_of(blocks, [](const ThreadBlock& block) {
        return std::ranges::any_of(block.steps, [](const BlockStep& step) {
          return step.kind->keeps && step.destination.buffer == 's';
        });
      });
    });
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
