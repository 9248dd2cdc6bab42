#include "fabric/trains/train_fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_limit.h"
#include "fabric/route_timing.h"
#include "fabric/sim_time.h"

namespace coppice::fabric {

TrainFabric::TrainFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
                         const config::SystemConfig& system, const Framing& framing, int ni_ports,
                         Failure& failure)
    : sc_module(name),
      topology_(&topology),
      ni_ports_(ni_ports),
      timing_(framing, system.clock.period(), system.router.routing_delay + system.router.vc_alloc_delay),
      period_(system.clock.period()),
      vc_alloc_delay_(system.router.vc_alloc_delay),
      vcs_(system.router.vcs),
      vc_depth_(system.router.vc_depth),
      wake_event_("wake"),
      failure_(&failure) {
  build(system);
  SC_HAS_PROCESS(TrainFabric);
  SC_METHOD(tick);
  sensitive << wake_event_;
  dont_initialize();
}

void TrainFabric::build(const config::SystemConfig& system) {
  const config::RouterConfig& router = system.router;
  const Cycles grant = router.sw_alloc_delay - 1;
  const Cycles traversal = grant + router.st_delay + 1;
  const Cycles head_delay = timing_.routing_and_allocation();
  const auto spacing = [this](Femtoseconds flit_time) {
    return capped_time(vc_depth_, flit_time) / period_ - (flit_time % period_ == 0 ? 0 : 1);
  };
  injection_credit_loop_ = kInjectionDelay + head_delay + grant + 1 + kNiChannelLatency;
  const auto interfaces = static_cast<std::size_t>(topology_->num_interfaces());
  const auto ni_ports = static_cast<std::size_t>(ni_ports_);
  outputs_.reserve(topology_->channels().size() + interfaces * ni_ports);
  for (NodeId node = 0; node < topology_->num_nodes(); ++node) {
    first_output_.push_back(outputs_.size());
    for (const topology::ChannelId id : topology_->out_channels(node)) {
      const topology::Channel& channel = topology_->channel(id);
      Output out;
      out.node = node;
      out.delay = traversal + flit_latency(system, channel);
      out.credit_loop = channel_credit_loop(system, channel);
      out.pace = {channel_flit_time(system, channel.bandwidth), period_};
      out.to = channel.dst;
      out.channel = id;
      out.spaced = spacing(out.pace.flit_time);
      outputs_.push_back(std::move(out));
    }
    if (!topology_->has_interface(node)) continue;
    Output ejection;
    ejection.node = node;
    ejection.delay = traversal + kNiChannelLatency;
    ejection.credit_loop = ejection.delay + 1 + kNiChannelLatency + router.credit_delay;
    ejection.pace = {ejection_flit_time(system, !topology_->is_accelerator(node)), period_};
    ejection.spaced = spacing(ejection.pace.flit_time);
    outputs_.insert(outputs_.end(), ni_ports, ejection);
  }
  ports_.resize(interfaces * ni_ports);
  statistics_.channel_flits.assign(topology_->channels().size(), 0);
}

void TrainFabric::connect(NodeId node, int port, Injector& injector, Ejector& ejector) {
  Port& end = ports_[static_cast<std::size_t>(node * ni_ports_ + port)];
  end.injector = &injector;
  end.ejector = &ejector;
}

void TrainFabric::wake(NodeId node, int port, Cycles at) {
  schedule(at, {EventKind::kWake, node * ni_ports_ + port, 0});
}

void TrainFabric::schedule(Cycles at, const Event& event) {
  events_.add(at, event);
  if (next_tick_ >= 0 && next_tick_ <= at) return;
  next_tick_ = at;
  wake_event_.notify(to_sc_time(checked_time(at, period_)) - sc_core::sc_time_stamp());
}

void TrainFabric::tick() {
  failure_->guard([this] {
    const Cycles now = next_tick_;
    const bool goes_on = meetings_ != nullptr && !meetings_->too_many();
    if (contended_at_ >= 0 && now >= contended_at_ && !goes_on)
      throw ContentionError(contention_, contended_at_);
    while (!events_.empty() && events_.next() <= now) {
      std::vector<Event>& events = events_.take();
      if (!std::is_sorted(events.begin(), events.end())) std::sort(events.begin(), events.end());
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (i + kAhead < events.size()) prefetch(events[i + kAhead]);
        process(events[i], now);
      }
    }
    if (events_.empty()) {
      next_tick_ = -1;
      return;
    }
    next_tick_ = events_.next();
    wake_event_.notify(to_sc_time(checked_time(next_tick_, period_) - now * period_));
  });
}

// Prefetches the state of a port, because in large systems the state of all ports does not fit into the
// caches.
void TrainFabric::prefetch(const Event& event) const {
  const Port& port = ports_[static_cast<std::size_t>(event.port)];
  if (event.kind == EventKind::kEjected) {
    __builtin_prefetch(port.ejector);
    return;
  }
  __builtin_prefetch(port.injector);
  if (event.kind != EventKind::kWake) return;
  const auto node = static_cast<std::size_t>(event.port / ni_ports_);
  // Also prefetches the output port with the same number, because an NI port usually sends through it.
  __builtin_prefetch(outputs_.data() + first_output_[node] +
                     static_cast<std::size_t>(event.port % ni_ports_));
}

void TrainFabric::process(const Event& event, Cycles now) {
  Port& port = ports_[static_cast<std::size_t>(event.port)];
  switch (event.kind) {
    case EventKind::kEjected:
      --trains_;
      last_movement_ = now;
      statistics_.flits_ejected += all(port.ejector->message_ejected(event.message, now));
      break;
    case EventKind::kInjected:
      port.sending = false;
      last_movement_ = now;
      port.injector->message_injected(event.message, now);
      // If a message becomes available only later, the injector wakes the port.
      if (port.injector->next_message().message != nullptr) {
        schedule(port.free_at, {EventKind::kWake, event.port, 0});
      }
      break;
    case EventKind::kWake:
      if (!port.sending) try_start(event.port, now);
      break;
  }
}

void TrainFabric::try_start(std::int32_t index, Cycles now) {
  const Port& port = ports_[static_cast<std::size_t>(index)];
  const Injector::Pending pending = port.injector->next_message();
  if (pending.message == nullptr) return;
  const Cycles at = std::max(pending.ready, port.free_at);
  if (at > now) {
    schedule(at, {EventKind::kWake, index, 0});
  } else {
    start(index, *pending.message, now);
  }
}

void TrainFabric::start(std::int32_t index, const Message& message, Cycles now) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  const Known& cached = known(message);
  const Train& train = cached.train;
  follow(message, train, now);
  require_one_train(index, message, cached, now);
  if (meetings_ != nullptr) record_passing(index, message, train, now);
  const bool credits_short = !injection_credits_keep_up(cached);
  if (now < port.vcs_free_at) {
    const Cycles at = port.credits_short || credits_short ? now : stages_.front().traversal.head;
    contend(at, fmt::format("contention on the injection channel of NI {} at cycle {}: message {}->{} "
                            "follows the previous one too closely for {} virtual channels of {} flits",
                            message.src, at, message.src, message.dst, vcs_, vc_depth_));
    if (meetings_ != nullptr) meetings_->want_port(index);
  }
  const std::vector<std::int64_t> moved = moved_before_stop(train, now);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Output& out = *stages_[i].output;
    const Traversal& traversal = stages_[i].traversal;
    const std::int64_t flits = moved.empty() ? train.flits : moved[i + 1];
    occupy(out, interval(i, cached), message.src, message.dst, now);
    statistics_.flit_hops += all(flits);
    for (const topology::ChannelId channel : stages_[i].channels)
      statistics_.channel_flits[static_cast<std::size_t>(channel)] += flits;
    if (stages_[i].channels.empty()) continue;
    for (FabricObserver* observer : observers_) {
      observer->channels_busy(stages_[i].channels, traversal.head, traversal.tail + 1,
                              train.flits * out.pace.flit_time);
    }
  }
  ++trains_;
  statistics_.flits_injected += all(moved.empty() ? train.flits : moved.front());
  last_movement_ = now;
  port.sending = true;
  port.free_at = now + cached.next_start;
  port.vcs_free_at = injection_free_at(cached, now);
  port.credits_short = credits_short;
  port.injector->message_started(message.id, now);
  schedule(now + train.tail, {EventKind::kInjected, index, message.id});
  const Stage& last = stages_.back();
  schedule(last.traversal.tail + last.output->delay,
           {EventKind::kEjected, ejection_port(message), message.id});
}

// How many of the train's flits are injected, and how many pass each stage, before the stop. Empty if all
// flits pass all stages before the stop.
std::vector<std::int64_t> TrainFabric::moved_before_stop(const Train& train, Cycles now) const {
  if (stages_.back().traversal.tail < stop_) return {};
  std::vector<TrainTiming::Leg> legs;
  for (const Stage& stage : stages_) legs.push_back({stage.output->pace, stage.output->delay});
  return timing_.moved_before(train, now, kInjectionDelay, legs, stop_);
}

// The NI port at which the message ends, as an index into ports_.
std::int32_t TrainFabric::ejection_port(const Message& message) const {
  const NodeId node = stages_.back().output->node;
  const auto channels = static_cast<std::int32_t>(topology_->out_channels(node).size());
  const topology::Route& route = images_ == nullptr ? *message.route : *images_->of(*message.route).incoming;
  return node * ni_ports_ + route.back().out_port - channels;
}

const TrainFabric::Known& TrainFabric::known(const Message& message) {
  Known& known = known_[static_cast<std::size_t>(message.bytes) / 4 % known_.size()];
  if (known.bytes != message.bytes || known.flit_time != message.flit_time) {
    known.bytes = message.bytes;
    known.flit_time = message.flit_time;
    known.train = timing_.train(message.bytes, message.flit_time);
    known.paced = capped_time(vc_depth_, known.train.pace) / period_;
    known.next_start = known.train.tail + timing_.cycles(known.train.pace);
  }
  return known;
}

// Fills stages_ with the path of the train.
void TrainFabric::follow(const Message& message, const Train& train, Cycles now) {
  stages_.clear();
  if (images_ != nullptr) {
    follow_images(message, train, now);
    return;
  }
  NodeId node = message.src;
  for (const topology::Hop& hop : *message.route) {
    Output& out = output(node, hop.out_port);
    add_stage(out, hop.vcs, train, now);
    if (out.channel >= 0) stages_.back().channels = {&out.channel, 1};
    node = out.to;
  }
}

// The first channel is that of the origin's message. The other channels are those of the image that arrives
// at the origin.
void TrainFabric::follow_images(const Message& message, const Train& train, Cycles now) {
  const RouteImages::Images& images = images_->of(*message.route);
  NodeId node = images.incoming_src;
  for (std::size_t i = 0; i < images.incoming->size(); ++i) {
    const topology::Hop& hop = (*images.incoming)[i];
    Output& incoming = output(node, hop.out_port);
    add_stage(i == 0 ? output(message.src, message.route->front().out_port) : incoming, hop.vcs, train, now);
    stages_.back().channels = images_->channels(images, i);
    node = incoming.to;
  }
}

// Adds the next stage of the route; the first stage follows injection.
void TrainFabric::add_stage(Output& out, topology::VcRange vcs, const Train& train, Cycles now) {
  Cycles head = now + kInjectionDelay;
  Cycles tail = head + train.tail;
  if (!stages_.empty()) {
    const Stage& before = stages_.back();
    head = before.traversal.head + before.output->delay;
    tail = before.traversal.tail + before.output->delay;
  }
  stages_.push_back({&out, vcs, timing_.pass(train, head, tail, out.pace), {}});
}

void TrainFabric::require_one_train(std::int32_t port, const Message& message, const Known& known,
                                    Cycles now) {
  try {
    require_virtual_channels(message, known.train, now);
    require_credits(message, known, now);
  } catch (const ContentionError& error) {
    if (meetings_ == nullptr) throw;
    meetings_->want_port(port);
    contend(now, error.what());
  }
}

void TrainFabric::require_virtual_channels(const Message& message, const Train& train, Cycles now) const {
  if (train.packets == 1) return;
  const auto refuse = [&](const std::string& why) {
    throw ContentionError(fmt::format("message {}->{} at cycle {} does not move as one train: {}",
                                      message.src, message.dst, now, why),
                          now);
  };
  const Cycles delay = timing_.routing_and_allocation();
  if (capped_time(train.packet_flits, train.pace) / period_ < delay) {
    refuse(
        fmt::format("a packet of {} flits is too short: it ends before the next head can get a virtual "
                    "channel",
                    train.packet_flits));
  }
  if (vcs_ == 1) refuse("its packets share a single virtual channel");
  for (const Stage& stage : stages_) {
    if (stage.vcs.end - stage.vcs.begin == 1) {
      refuse(fmt::format("its packets share a single virtual channel on {}", place(*stage.output)));
    }
  }
}

void TrainFabric::require_credits(const Message& message, const Known& known, Cycles now) const {
  const auto refuse = [&](const std::string& where, Cycles loop) {
    throw ContentionError(fmt::format("message {}->{} at cycle {} does not move as one train: a buffer of {} "
                                      "flits does not cover the credit loop of {} cycles on {}",
                                      message.src, message.dst, now, vc_depth_, loop, where),
                          now);
  };
  if (known.train.flits <= vc_depth_) return;
  // The NI spaces flits at the train's pace, and no flit waits in the first router for longer than r + v
  // cycles.
  if (!injection_credits_keep_up(known)) {
    refuse(fmt::format("the injection channel of NI {}", message.src), injection_credit_loop_);
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (credits_keep_up(i, known) == Credits::kShort) {
      refuse(place(*stages_[i].output), stages_[i].output->credit_loop);
    }
  }
}

// The first cycle in which the port can start its next message without it meeting this message in the
// router's input buffers, where messages use the virtual channels in rotation.
Cycles TrainFabric::injection_free_at(const Known& known, Cycles now) const {
  constexpr Cycles kShortestPacket = 2;  // a head flit and a data flit
  const Traversal& first = stages_.front().traversal;
  Cycles free = 0;
  if (!injection_credits_keep_up(known)) {
    free = first.tail + injection_credit_loop_ - kInjectionDelay - timing_.routing_and_allocation();
  }
  if (vcs_ == 1) return std::max(free, first.tail + 1 - kInjectionDelay);
  if ((vcs_ - 1) * kShortestPacket >= timing_.routing_and_allocation()) return free;
  return std::max(free, now + known.train.last_head + timing_.routing_and_allocation());
}

// Whether every flit finds a credit at output port `stage` of the train's route. A flit wins the switch there
// at least `spaced` cycles after the flit D positions before it, even if that flit belongs to another train,
// and D flits of this train are injected within `paced` cycles. A flit stays in the next router for r + v
// cycles if the channel after that router is no slower than this one. Otherwise, it stays for at most r + v
// cycles plus the number of cycles by which body flits have closed up behind their heads so far.
TrainFabric::Credits TrainFabric::credits_keep_up(std::size_t stage, const Known& known) const {
  const Output& out = *stages_[stage].output;
  const bool last = stage + 1 == stages_.size();
  const bool spreads = !last && stages_[stage + 1].output->pace.flit_time > out.pace.flit_time;
  const Cycles closed_up = static_cast<Cycles>(stage + 1) * timing_.routing_and_allocation();
  if (out.spaced >= out.credit_loop + (spreads ? closed_up : 0)) return Credits::kKeepUp;
  const bool alone = known.train.flits <= vc_depth_ || known.paced >= out.credit_loop + closed_up;
  return alone ? Credits::kKeepUpAlone : Credits::kShort;
}

TrainFabric::Interval TrainFabric::interval(std::size_t stage, const Known& known) const {
  const Output& out = *stages_[stage].output;
  const Traversal& traversal = stages_[stage].traversal;
  const Cycles delay = timing_.routing_and_allocation();
  const bool last = stage + 1 == stages_.size();
  Interval use{traversal.head, traversal.tail, 0, 0, stages_[stage].vcs};
  use.length = known.train.flits;
  use.next_free = traversal.next_free;
  use.free = std::max(traversal.channel_free, traversal.last_head + delay);
  // If the flit time is fractional, the channel may need one more cycle until it has accepted all earlier
  // flits.
  const Cycles settled = traversal.channel_free + (out.pace.cycles > 0 ? 0 : 1);
  use.free_of_vc = std::max(traversal.tail + 1 + vc_alloc_delay_, settled);
  // The cycle in which the tail leaves the next router, minus the delay from here to that router.
  const Cycles leaves_next = last ? traversal.tail : stages_[stage + 1].traversal.tail - out.delay;
  if (!last) {
    use.free = std::max(use.free, leaves_next + 1 - delay);
    use.free_of_vc = std::max(use.free_of_vc, leaves_next + 1);
  }
  if (credits_keep_up(stage, known) != Credits::kKeepUp) {
    use.free = std::max(use.free, leaves_next - (last ? 0 : delay) + out.credit_loop);
  }
  use.free_of_vc = std::max(use.free_of_vc, use.free);
  return use;
}

void TrainFabric::occupy(Output& output, const Interval& interval, NodeId src, NodeId dst, Cycles now) {
  auto& trains = output.trains;
  // No train starts in the past, so past intervals matter only for flits, which are reported after they have
  // passed.
  const Cycles over = std::min(now, output.flits_since);
  std::erase_if(trains, [&](const Interval& t) { return t.free_of_vc <= over; });
  const auto free_for = [](const Interval& first, const Interval& second) {
    // Flits that were delayed may follow each other more closely than the flits of a train.
    if (second.flits) return first.free_of_vc;
    const bool shares_vc = first.vcs.begin < second.vcs.end && second.vcs.begin < first.vcs.end;
    return shares_vc && second.vcs.end - second.vcs.begin == 1 ? first.free_of_vc : first.free;
  };
  for (const Interval& other : trains) {
    const bool before = other.begin < interval.begin;
    const Interval& first = before ? other : interval;
    const Interval& second = before ? interval : other;
    if (second.begin >= free_for(first, second)) continue;
    if (first.flits && second.flits) {
      share(output, now);
    } else {
      meet_at(output, interval, other, src, dst);
    }
  }
  const auto after = std::find_if(trains.begin(), trains.end(),
                                  [&](const Interval& t) { return t.begin >= interval.begin; });
  const auto inserted = trains.insert(after, interval);
  if (output.pace.cycles > 0) return;
  for (auto second = std::max(inserted, trains.begin() + 1); second < trains.end(); ++second) {
    if (!follows_closely(output, *(second - 1), *second)) continue;
    meet_at(output, interval, second == inserted ? *(second - 1) : *second, src, dst);
  }
}

// Whether earlier trains, which may still occupy the channel for part of a cycle, delay the tail of the
// second train. Also updates the time at which the channel will have accepted all flits of the second train.
bool TrainFabric::follows_closely(const Output& output, const Interval& first, Interval& second) const {
  if (first.flits || second.flits) return false;
  second.next_free =
      std::max(second.next_free, checked_sum(first.next_free, second.length * output.pace.flit_time));
  return timing_.tail_behind(first.next_free, second.length, output.pace) > second.tail;
}

// Reports that one of two messages reaches an output port before the other has left it. `one` is the interval
// of the message from `src` to `dst`.
void TrainFabric::meet_at(Output& output, const Interval& one, const Interval& other, NodeId src,
                          NodeId dst) {
  if (meetings_ != nullptr) meetings_->want_users_and_feeders(index(output));
  const Cycles at = std::max(one.begin, other.begin);
  if (!first_contention(at)) return;
  contend(at, fmt::format("contention on {} at cycle {}: message {}->{} uses it in cycles {} to {}, and "
                          "another message in cycles {} to {}",
                          place(output), at, src, dst, one.begin, one.tail, other.begin, other.tail));
}

// Records that the run is exact only until cycle `at`. The run continues until then, because an earlier
// contention may still be found.
void TrainFabric::contend(Cycles at, const std::string& what) {
  if (!first_contention(at)) return;
  contended_at_ = at;
  contention_ = what;
  if (meetings_ != nullptr) meetings_->set_reason(at, what);
}

std::string TrainFabric::place(const Output& output) const {
  return output.channel < 0 ? fmt::format("the ejection channel of NI {}", output.node)
                            : fmt::format("channel {}->{}", output.node, output.to);
}

void TrainFabric::check_conservation() const {
  if (statistics_.flits_injected == statistics_.flits_ejected && trains_ == 0) return;
  throw ModelError(fmt::format("{}: {} flits injected, {} ejected, {} trains in flight", name(),
                               statistics_.flits_injected, statistics_.flits_ejected, trains_));
}

std::string TrainFabric::describe_packets(int /*limit*/) const {
  return fmt::format("  {} messages are in flight\n", trains_);
}

}  // namespace coppice::fabric
