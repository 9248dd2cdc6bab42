#include "schedule/proof/contention.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time_limit.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

constexpr std::size_t kMostReported = 16;

// A channel or ejection port on a message's path, and the latency of the channels before it.
struct Leg {
  std::size_t resource;
  Femtoseconds latency;
};

// A message, with the timing data that does not depend on the router delay.
struct TimedMessage {
  const Message* message;
  std::int32_t step;
  std::size_t sender;     // number of the sender's NI port
  Femtoseconds time;      // transfer time over the path's slowest channel
  std::size_t first_leg;  // index in StepMessages::all_legs
  std::size_t end_leg;
};

struct StepMessages {
  std::vector<TimedMessage> timed_messages;
  std::vector<Leg> all_legs;

  std::span<const Leg> legs(const TimedMessage& timed) const {
    return {&all_legs[timed.first_leg], timed.end_leg - timed.first_leg};
  }
  void clear() {
    timed_messages.clear();
    all_legs.clear();
  }
};

// Assigns numbers to all channels and to both directions of all NI ports.
class Resources {
 public:
  Resources(const Topology& topology, const Schedule& schedule, const SymmetricTables* pattern)
      : topology_(topology), schedule_(schedule), pattern_(pattern) {
    for (const NodeTables& node : schedule.nodes) most_ports_ = std::max(most_ports_, node.ports.size());
  }

  std::size_t count() const { return topology_.channels().size() + 2 * ports(); }
  std::size_t ports() const { return schedule_.nodes.size() * most_ports_; }
  std::size_t port(NodeId node, std::int32_t port) const {
    return static_cast<std::size_t>(node) * most_ports_ + static_cast<std::size_t>(port);
  }
  // The inbox for the arrivals of one flow at one accelerator. With a pattern, only the origin has inboxes;
  // messages to other accelerators are mapped to messages to the origin.
  std::size_t inbox(NodeId node, std::int32_t flow) const {
    if (pattern_ != nullptr) return static_cast<std::size_t>(pattern_->moved_back_flow(flow, node));
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(schedule_.flows) +
           static_cast<std::size_t>(flow);
  }
  std::size_t injection(std::size_t port) const { return topology_.channels().size() + 2 * port; }

  void add_passage(const Message& message, StepMessages& step) const {
    TimedMessage timed{.message = &message,
                       .step = message.entry->step,
                       .sender = port(message.src, message.src_port),
                       .time = 0,
                       .first_leg = step.all_legs.size(),
                       .end_leg = 0};
    NodeId at = message.src;
    Femtoseconds latency = 0;
    for (const topology::Hop& hop : schedule_.routes[static_cast<std::size_t>(message.entry->route)]) {
      const auto out = topology_.out_channels(at);
      if (hop.out_port >= out.size()) break;
      const topology::Channel& channel = topology_.channel(out[hop.out_port]);
      step.all_legs.push_back({static_cast<std::size_t>(seen_from_origin(channel, message)), latency});
      timed.time = std::max(timed.time, transfer_time(message.entry->message_bytes(), channel.bandwidth));
      latency += channel.latency;
      at = channel.dst;
    }
    const NodeId receiver = pattern_ == nullptr ? message.dst : message.src;
    step.all_legs.push_back({injection(port(receiver, message.ejection_port)) + 1, latency});
    timed.end_leg = step.all_legs.size();
    step.timed_messages.push_back(timed);
  }

  SharedChannel describe(std::size_t resource) const {
    SharedChannel shared;
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

 private:
  // With a pattern, maps a channel from a switch to the receiver to the equivalent channel to the origin.
  ChannelId seen_from_origin(const topology::Channel& channel, const Message& message) const {
    const bool there = pattern_ != nullptr && channel.src != message.src;
    return there ? topology_.in_channels(message.src)[static_cast<std::size_t>(channel.dst_port)]
                 : topology_.out_channels(channel.src)[static_cast<std::size_t>(channel.src_port)];
  }

  const Topology& topology_;
  const Schedule& schedule_;
  const SymmetricTables* pattern_;
  std::size_t most_ports_ = 0;
};

// Tracks how the messages of one timestep use every resource.
class StepUse {
 public:
  StepUse(const Resources& resources, CheckReport& report)
      : resources_(resources), report_(report), uses_(resources.count()) {}

  void add(const TimedMessage& timed, std::span<const Leg> legs) {
    longest_ = std::max(longest_, timed.time);
    use(resources_.injection(timed.sender), timed);
    for (const Leg& leg : legs) use(leg.resource, timed);
  }

  // Reports the resources that messages of the step share, and resets the use of all resources for the next
  // step. Returns the duration of the step.
  Femtoseconds finish(int step) {
    // In most steps no resource is shared, so there is nothing to report and no need to sort.
    if (std::ranges::any_of(used_, [this](std::size_t resource) { return uses_[resource].messages > 1; })) {
      std::ranges::sort(used_);
    }
    for (const std::size_t resource : used_) {
      Use& use = uses_[resource];
      // A port sends its messages one after another. They may therefore share a channel that can carry all of
      // them within the step, up to the rounding of their times.
      if (use.messages > 1 && (use.several_senders || use.busy > longest_ + use.messages)) {
        report_.contention_free = false;
        report_.disjoint_steps = false;
        if (report_.shared.size() < kMostReported) {
          report_.shared.push_back(resources_.describe(resource));
          report_.shared.back().step = step;
          report_.shared.back().messages = use.messages;
        }
      }
      use = Use{};
    }
    used_.clear();
    return std::exchange(longest_, 0);
  }

 private:
  struct Use {
    std::int32_t messages = 0;
    std::size_t sender = 0;
    bool several_senders = false;
    Femtoseconds busy = 0;
  };

  void use(std::size_t resource, const TimedMessage& timed) {
    Use& use = uses_[resource];
    if (use.messages++ == 0) {
      use.sender = timed.sender;
      used_.push_back(resource);
    }
    use.several_senders = use.several_senders || use.sender != timed.sender;
    use.busy = checked_sum(use.busy, timed.time);
  }

  const Resources& resources_;
  CheckReport& report_;
  std::vector<Use> uses_;
  std::vector<std::size_t> used_;  // resources used in this step
  Femtoseconds longest_ = 0;
};

// The time of each inbox's last arrival. Because there are many inboxes, arrivals before a limit are dropped;
// the limit never decreases, and arrivals before it no longer delay any message.
class RecentArrivals {
 public:
  RecentArrivals() { clear(kLeast); }

  // The time of the inbox's last arrival; 0 if there is none or it no longer matters.
  Femtoseconds last(std::size_t inbox) const {
    const Arrival& here = arrivals_[place_of(inbox)];
    return here.inbox == inbox ? here.at : 0;
  }
  void add(std::size_t inbox, Femtoseconds at) {
    Arrival& here = arrivals_[place_of(inbox)];
    if (here.inbox == inbox) {
      here.at = std::max(here.at, at);
      return;
    }
    here = {inbox, at};
    if (2 * ++count_ > arrivals_.size()) make_room();
  }
  // Forgets arrivals up to `time`, which no longer matter.
  void forget_until(Femtoseconds time) { forgotten_ = time; }

 private:
  static constexpr std::size_t kLeast = 64;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Arrival {
    std::size_t inbox = kNone;
    Femtoseconds at = 0;
  };

  std::size_t place_of(std::size_t inbox) const {
    std::size_t place = (inbox * 0x9e3779b97f4a7c15ULL) >> 32;
    for (;; ++place) {
      const Arrival& here = arrivals_[place & (arrivals_.size() - 1)];
      if (here.inbox == inbox || here.inbox == kNone) return place & (arrivals_.size() - 1);
    }
  }
  void clear(std::size_t size) {
    arrivals_.assign(size, {});
    count_ = 0;
  }
  // Drops arrivals that no longer matter and resizes the table to at least four times the number of remaining
  // arrivals, so that the total work is proportional to the number of new arrivals.
  void make_room() {
    before_.swap(arrivals_);
    std::erase_if(before_, [this](const Arrival& a) { return a.inbox == kNone || a.at <= forgotten_; });
    clear(std::max(std::bit_ceil(4 * before_.size()), kLeast));
    for (const Arrival& arrival : before_) arrivals_[place_of(arrival.inbox)] = arrival;
    count_ = before_.size();
  }

  std::vector<Arrival> arrivals_;  // hash table by inbox, of size 2^k; at least half is free
  std::vector<Arrival> before_;    // scratch space
  std::size_t count_ = 0;
  Femtoseconds forgotten_ = 0;
};

// Computes nominal times, assuming that all routers have the same delay.
class Timeline {
 public:
  Timeline(const Resources& resources, Femtoseconds router, CheckReport& report)
      : resources_(resources),
        router_(router),
        report_(report),
        free_at_(resources.count(), 0),
        port_free_at_(resources.ports(), 0),
        slip_(resources.ports(), 0) {}

  // Begins a timestep. No later message starts before `start`.
  void begin_step(Femtoseconds start) { arrived_.forget_until(start); }

  void add(const TimedMessage& timed, std::span<const Leg> legs, Femtoseconds step_start,
           Femtoseconds step_end) {
    const TableEntry& entry = *timed.message->entry;
    Femtoseconds& slip = slip_[timed.sender];
    Femtoseconds& port_free_at = port_free_at_[timed.sender];
    Femtoseconds start = std::max(step_start + slip, port_free_at);
    if (entry.dependencies > 0) {
      start = std::max(start, arrived_.last(resources_.inbox(timed.message->src, entry.flow)));
    }
    port_free_at = checked_sum(start, timed.time);
    slip = std::max(slip, port_free_at - step_end);
    for (std::size_t i = 0; i < legs.size(); ++i) {
      const Femtoseconds begin = start + legs[i].latency + static_cast<Femtoseconds>(i) * router_;
      Femtoseconds& free_at = free_at_[legs[i].resource];
      if (begin < free_at) report_late(timed, legs[i].resource);
      free_at = std::max(free_at, checked_sum(begin, timed.time));
    }
    const Femtoseconds arrival =
        start + legs.back().latency + static_cast<Femtoseconds>(legs.size()) * router_ + timed.time;
    coming_.emplace_back(resources_.inbox(timed.message->dst, entry.flow), arrival);
  }

  // Makes the arrivals of all messages added so far visible to later entries.
  void deliver() {
    for (const auto& [inbox, at] : coming_) arrived_.add(inbox, at);
    coming_.clear();
  }

 private:
  void report_late(const TimedMessage& timed, std::size_t resource) {
    report_.contention_free = false;
    if (report_.shared.size() >= kMostReported) return;
    SharedChannel shared = resources_.describe(resource);
    shared.step = timed.step;
    shared.messages = 2;
    shared.late = true;
    if (!report_.shared.empty() && std::tie(report_.shared.back().channel, report_.shared.back().node) ==
                                       std::tie(shared.channel, shared.node)) {
      return;
    }
    report_.shared.push_back(shared);
  }

  const Resources& resources_;
  Femtoseconds router_;
  CheckReport& report_;
  std::vector<Femtoseconds> free_at_;       // [resource]: time at which it becomes free
  std::vector<Femtoseconds> port_free_at_;  // [NI port]: time at which it becomes free
  std::vector<Femtoseconds> slip_;          // [NI port]: how far the port is behind its timesteps
  RecentArrivals arrived_;
  std::vector<std::pair<std::size_t, Femtoseconds>> coming_;
};

// Returns the messages sorted by step, then by round; messages of the same round keep the given order. Sorts
// copies of the keys because the messages themselves lie far apart in memory.
std::vector<const Message*> by_step_and_round(std::span<const Message> messages) {
  struct Ranked {
    std::int32_t step;
    std::int32_t round;
    const Message* message;  // pointers ascend in the given order
    auto operator<=>(const Ranked&) const = default;
  };
  std::vector<Ranked> places;
  places.reserve(messages.size());
  for (const Message& message : messages) places.push_back({message.entry->step, message.round, &message});
  std::ranges::sort(places);
  std::vector<const Message*> order(places.size());
  std::ranges::transform(places, order.begin(), &Ranked::message);
  return order;
}

class ContentionByStep final : public ContentionSearch {
 public:
  ContentionByStep(const Topology& topology, const Schedule& schedule, CheckReport& report,
                   const SymmetricTables* pattern)
      : resources_(topology, schedule, pattern),
        report_(report),
        use_(resources_, report),
        quick_(resources_, kFastestRouter, report),
        slow_(resources_, kSlowestRouter, report) {}

  void add_step(std::span<const Message* const> messages) override {
    if (messages.empty()) return;
    step_.clear();
    for (const Message* message : messages) {
      resources_.add_passage(*message, step_);
      use_.add(step_.timed_messages.back(), step_.legs(step_.timed_messages.back()));
    }
    const Femtoseconds next = checked_sum(start_, use_.finish(messages.front()->entry->step));
    quick_.begin_step(start_);
    slow_.begin_step(start_);
    const std::vector<TimedMessage>& timed_messages = step_.timed_messages;
    for (std::size_t i = 0; i < timed_messages.size() && report_.disjoint_steps; ++i) {
      // Earlier rounds deliver the data for which later rounds of the same step wait.
      if (i > 0 && timed_messages[i].message->round != timed_messages[i - 1].message->round) deliver();
      const auto legs = step_.legs(timed_messages[i]);
      quick_.add(timed_messages[i], legs, start_, next);
      slow_.add(timed_messages[i], legs, start_, next);
    }
    deliver();
    start_ = next;
  }

 private:
  void deliver() {
    quick_.deliver();
    slow_.deliver();
  }

  Resources resources_;
  CheckReport& report_;
  StepUse use_;
  Timeline quick_;
  Timeline slow_;
  Femtoseconds start_ = 0;  // start of the next step
  StepMessages step_;
};

}  // namespace

std::unique_ptr<ContentionSearch> search_contention(const Topology& topology, const Schedule& schedule,
                                                    CheckReport& report, const SymmetricTables* pattern) {
  return std::make_unique<ContentionByStep>(topology, schedule, report, pattern);
}

void find_contention(const Topology& topology, const Schedule& schedule, std::span<const Message> messages,
                     CheckReport& report, const SymmetricTables* pattern) {
  const std::vector<const Message*> order = by_step_and_round(messages);
  ContentionByStep search(topology, schedule, report, pattern);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const std::int32_t step = order[begin]->entry->step;
    while (end < order.size() && order[end]->entry->step == step) ++end;
    search.add_step(std::span(order).subspan(begin, end - begin));
  }
}

}  // namespace coppice::schedule
