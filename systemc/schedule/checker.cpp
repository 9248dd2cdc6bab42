#include "schedule/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/proof.h"
#include "schedule/replay.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

constexpr std::size_t kMostReported = 16;

// Counts the messages of one step per channel and per side of an NI port.
class StepUse {
 public:
  StepUse(const Topology& topology, const Schedule& schedule) : topology_(topology), schedule_(schedule) {
    for (const NodeTables& node : schedule.nodes) most_ports_ = std::max(most_ports_, node.ports.size());
    counts_.resize(topology.channels().size() + schedule.nodes.size() * most_ports_ * 2, 0);
  }

  void add(const Message& message) {
    use(ni_port(message.src, message.src_port, false));
    NodeId at = message.src;
    for (const topology::Hop& hop : schedule_.routes[static_cast<std::size_t>(message.entry->route)]) {
      const auto out = topology_.out_channels(at);
      if (hop.out_port >= out.size()) break;
      use(static_cast<std::size_t>(out[hop.out_port]));
      at = topology_.channel(out[hop.out_port]).dst;
    }
    use(ni_port(message.dst, message.ejection_port, true));
  }

  // Reports what is shared and forgets the step.
  void finish(int step, CheckReport& report) {
    std::ranges::sort(used_);
    for (const std::size_t resource : used_) {
      if (counts_[resource] > 1) {
        report.contention_free = false;
        if (report.shared.size() < kMostReported) report.shared.push_back(describe(resource, step));
      }
      counts_[resource] = 0;
    }
    used_.clear();
  }

 private:
  void use(std::size_t resource) {
    if (counts_[resource]++ == 0) used_.push_back(resource);
  }
  std::size_t ni_port(NodeId node, std::int32_t port, bool ejection) const {
    return topology_.channels().size() +
           (static_cast<std::size_t>(node) * most_ports_ + static_cast<std::size_t>(port)) * 2 +
           (ejection ? 1 : 0);
  }
  SharedChannel describe(std::size_t resource, int step) const {
    SharedChannel shared{.step = step, .messages = counts_[resource]};
    if (resource < topology_.channels().size()) {
      shared.channel = static_cast<ChannelId>(resource);
      return shared;
    }
    const std::size_t side = resource - topology_.channels().size();
    shared.ejection = side % 2 != 0;
    shared.ni_port = static_cast<int>(side / 2 % most_ports_);
    shared.node = static_cast<NodeId>(side / 2 / most_ports_);
    return shared;
  }

  const Topology& topology_;
  const Schedule& schedule_;
  std::size_t most_ports_ = 0;
  std::vector<int> counts_;        // channels, then NI ports: injection, ejection
  std::vector<std::size_t> used_;  // in this step
};

void find_shared(const Topology& topology, const Schedule& schedule, const std::vector<Message>& messages,
                 CheckReport& report) {
  std::vector<std::size_t> starts(static_cast<std::size_t>(schedule.steps) + 2, 0);
  for (const Message& message : messages) ++starts[static_cast<std::size_t>(message.entry->step) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<const Message*> by_step(messages.size());
  for (const Message& message : messages)
    by_step[starts[static_cast<std::size_t>(message.entry->step)]++] = &message;
  StepUse use(topology, schedule);
  for (std::size_t i = 0; i < by_step.size(); ++i) {
    use.add(*by_step[i]);
    const int step = by_step[i]->entry->step;
    if (i + 1 == by_step.size() || by_step[i + 1]->entry->step != step) use.finish(step, report);
  }
}

}  // namespace

std::string to_string(const Topology& topology, const SharedChannel& shared) {
  std::string what;
  if (shared.channel >= 0) {
    const topology::Channel& channel = topology.channel(shared.channel);
    what = fmt::format("channel {}->{} (port {})", channel.src, channel.dst, channel.src_port);
  } else {
    what = fmt::format("{} port {} of accelerator {}", shared.ejection ? "ejection" : "injection",
                       shared.ni_port, shared.node);
  }
  return fmt::format("{} in step {}: {} messages", what, shared.step, shared.messages);
}

CheckReport check_schedule(const Topology& topology, const Schedule& schedule) {
  if (schedule.element < 1 || schedule.size < 0 || schedule.size % schedule.element != 0) {
    throw ScheduleError(fmt::format("a buffer of {} bytes is not whole elements of {} bytes", schedule.size,
                                    schedule.element));
  }
  std::vector<Message> messages = collect_messages(topology, schedule);
  CheckReport report;
  find_shared(topology, schedule, messages, report);
  replay(schedule, messages);
  report.additions = prove_data(schedule, messages);
  return report;
}

}  // namespace coppice::schedule
