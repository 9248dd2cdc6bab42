#include "schedule/files/block_messages.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "schedule/compile/table_builder.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

// Thread blocks run concurrently, so their order in the file has no meaning. If several blocks share a port,
// each GPU sends the messages of a round in ascending order of the distance to their destinations. This
// prevents all GPUs from sending to the same destination at the same time.
std::vector<BlockMessage> staggered(std::vector<BlockMessage> messages, int gpus) {
  std::ranges::stable_sort(messages, {}, [gpus](const BlockMessage& message) {
    return std::pair(message.round, (message.dst - message.src + gpus) % gpus);
  });
  return messages;
}

// Converts messages to sends. The channels of a connection use the links between its two GPUs in turn; if
// there is no link, the messages are routed.
std::vector<Send> spread(const topology::Topology& topology, const std::vector<BlockMessage>& messages) {
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

}  // namespace

Schedule schedule_of_messages(const topology::Topology& topology, const CompileRequest& request,
                              const std::string& name, const MscclBuffers& buffers,
                              std::vector<BlockMessage> messages) {
  const std::vector<Send> sends = spread(topology, staggered(std::move(messages), buffers.gpus()));
  return build_schedule(topology, request, name, buffers.cut(request), sends);
}

std::string one_buffer_fault(const topology::Topology& topology, const Schedule& schedule, bool scratch) {
  try {
    check_schedule(topology, schedule);
    return "";
  } catch (const ScheduleError& error) {
    return fmt::format(
        "'{}' needs GPUs, which {}; an accelerator has a single buffer and adds data as it arrives ({}): {}",
        schedule.algorithm,
        scratch ? "hold received data in scratch until they add it, as one-pass algorithms do"
                : "hold a message until the step that receives it",
        error.what(),
        scratch ? "use an algorithm that adds in place (two-pass), or a built-in one, such as direct"
                : "let the send wait for the steps that must precede it");
  }
}

}  // namespace coppice::schedule
