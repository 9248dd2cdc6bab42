#include "fabric/flits/node_stretch.h"

#include <algorithm>
#include <tuple>

namespace coppice::fabric {
namespace {

// A stretch that is shorter costs more than its cycles one by one.
constexpr Cycles kLeast = 12;
// Cycles to wait after a disturbance, and where they are many.
constexpr Cycles kFirstPause = 8;
constexpr Cycles kLongestPause = 1 << 14;
// A stretch that moves fewer flits costs more than they do one by one; a node is judged by so many stretches
// at a time, and pauses twice as long each time that they are not worth it.
constexpr std::int64_t kWorth = 100;
constexpr int kJudged = 64;
constexpr int kMostDoublings = 2;

Flit later(Flit flit, int flits) {
  flit.sequence = static_cast<std::uint32_t>(flit.sequence + static_cast<unsigned>(flits)) & 0x7fffffffU;
  return flit;
}

}  // namespace

NodeStretch::NodeStretch(const std::vector<FlitModule*>& modules, ArrivalCalendar& arrivals,
                         FlitContext& context, SwitchStretch& switches)
    : arrivals_(&arrivals), context_(&context), switches_(&switches) {
  for (FlitModule* module : modules) {
    if (auto* const router = dynamic_cast<SystemCRouter*>(module)) {
      able_ = able_ && module_ == nullptr;
      module_ = router;
    } else if (auto* const terminal = dynamic_cast<PacketTerminal*>(module)) {
      able_ = able_ && terminal_ == nullptr;
      terminal_ = terminal;
    } else {
      able_ = able_ && module->in.size() == 0 && module->out.size() == 0;
      others_.push_back(module);
    }
  }
  able_ = able_ && module_ != nullptr;
  if (!able_) return;
  const Router& router = module_->router_;
  able_ = router.in_rotation_;
  arriving_.resize(router.inputs_.size());
  segments_.resize(router.inputs_.size());
  returning_.resize(router.outputs_.size());
  sent_.resize(router.inputs_.size());
  local_in_.assign(static_cast<std::size_t>(router.ports_), -1);
  local_out_.assign(static_cast<std::size_t>(router.ports_), -1);
  const int ports = terminal_ == nullptr ? 0 : static_cast<int>(terminal_->out.size());
  for (int port = 0; port < ports; ++port) {
    Local local;
    local.in = static_cast<int>(module_->in.size()) - ports + port;
    local.out = static_cast<int>(module_->out.size()) - ports + port;
    local.returns.resize(static_cast<std::size_t>(router.vcs_));
    local_in_[static_cast<std::size_t>(local.in)] = port;
    local_out_[static_cast<std::size_t>(local.out)] = port;
    locals_.push_back(std::move(local));
  }
}

Cycles NodeStretch::run(Cycles now, Cycles until) {
  if (now < resume_) return now;
  const Cycles end = undisturbed(now, std::min(until, now + CycleMask::kMost));
  if (end - now < kLeast) {
    // The rest of a quantum that is too short says nothing.
    if (until - now >= kLeast) {
      resume_ = now + pause_;
      pause_ = std::min(2 * pause_, kLongestPause);
    }
    return now;
  }
  pause_ = kFirstPause;
  cycles_ += end - now;
  arrivals_->skip(end);
  take_arrivals(now, end);
  find_flows();
  for (Local& local : locals_) {
    if (local.injects && !local.answers) inject(local, now, end - now);
  }
  run_switch(now, end - now);
  for (Local& local : locals_) {
    if (local.injects && local.answers) inject(local, now, end - now);
  }
  finish(now, end);
  judge(end);
  return end;
}

// Where messages are short, stretches move too few flits to be of use, and the node goes on without for a
// while.
void NodeStretch::judge(Cycles end) {
  if (++stretches_ < kJudged) return;
  if (moved_flits_ < kWorth * kJudged) {
    resume_ = end + (kLongestPause << doublings_);
    doublings_ = std::min(doublings_ + 1, kMostDoublings);
  } else {
    doublings_ = 0;
  }
  stretches_ = 0;
  moved_flits_ = 0;
}

void NodeStretch::spread(Cycles end) {
  for (int port = 0; port < static_cast<int>(module_->in.size()); ++port)
    module_->wire_in(port).spread_flits(end);
  for (int port = 0; port < static_cast<int>(module_->out.size()); ++port)
    module_->wire_out(port).spread_credits(end);
}

// The first cycle from `now` on in which something other than the middles of packets may move; `end` if that
// is earlier.
Cycles NodeStretch::undisturbed(Cycles now, Cycles end) {
  const Router& router = module_->router_;
  if (!router.routed_.empty() || !router.allocated_.empty() || !router.choices_.empty()) return now;
  for (const std::int32_t id : router.waiting_vc_) {
    if (router.free_vcs(router.inputs_[static_cast<std::size_t>(id)]) != 0) return now;
  }
  for (const FlitModule* other : others_) end = std::min(end, other->next());
  if (terminal_ != nullptr) end = undisturbed_by_terminal(now, end);
  std::size_t active = 0;
  for (std::size_t i = 0; i < router.inputs_.size(); ++i) {
    const Router::InputVc& in = router.inputs_[i];
    if (!router.is_active(in)) continue;
    ++active;
    if (in.count == 0) continue;
    const Flit front = router.buffers_[router.ring_index(i, 0)];
    // A head that has its virtual channel may wait for a credit.
    if (front.is_head()) return now;
    end = std::min(end, now + packets()[front.packet].flits - 1 - front.sequence);
  }
  if (end - now < kLeast || active > SwitchStretch::kMostFlows) return now;
  end = undisturbed_by_channels(now, end);
  return independent(now, end);
}

Cycles NodeStretch::undisturbed_by_terminal(Cycles now, Cycles end) const {
  if (!terminal_->wakeups_.empty()) end = std::min(end, terminal_->wakeups_.top().at);
  for (std::size_t p = 0; p < locals_.size(); ++p) {
    const InjectionPort& port = terminal_->injection_[p];
    if (!port.has_packet_) {
      if (terminal_->awake_.contains(static_cast<int>(p))) return now;
      continue;
    }
    if (port.vc_ < 0 || port.sent_flits_ == 0) return now;
    end = std::min(end, now + packets()[port.packet_].flits - 1 - port.sent_flits_);
  }
  return end;
}

// Heads that come to where none waits, tails that may leave as they come, tails that come out of the network.
Cycles NodeStretch::undisturbed_by_channels(Cycles now, Cycles end) const {
  const Router& router = module_->router_;
  for (int port = 0; port < static_cast<int>(module_->in.size()); ++port) {
    const auto& flits = module_->wire_in(port).flits();
    for (std::size_t i = 0; i < flits.size() && flits[i].stamp.at() < end; ++i) {
      const Router::InputVc& in = router.input(port, flits[i].stamp.vc());
      const Flit flit = flits[i].flit;
      if ((!router.is_busy(in) && flit.is_head()) || (flit.tail && router.is_active(in) && in.count == 0))
        end = flits[i].stamp.at();
    }
  }
  for (const Local& local : locals_) {
    const auto& flits = module_->wire_out(local.out).flits();
    for (std::size_t i = 0; i < flits.size() && flits[i].stamp.at() < end; ++i) {
      if (flits[i].flit.tail) end = flits[i].stamp.at();
    }
  }
  return std::max(now, end);
}

// The router and the terminal answer each other within the stretch. It is short enough for one of them not to
// need the other's answers.
Cycles NodeStretch::independent(Cycles now, Cycles end) {
  const Router& router = module_->router_;
  for (const Local& local : locals_) {
    for (int vc = 0; vc < router.vcs_; ++vc) {
      const Router::OutputVc& out = router.output(local.out, vc);
      if (out.owner >= 0 && router.is_active(router.inputs_[static_cast<std::size_t>(out.owner)]))
        end = std::min(end, now + out.credits);
    }
  }
  for (std::size_t p = 0; p < locals_.size(); ++p) {
    const InjectionPort& port = terminal_->injection_[p];
    if (!port.has_packet_) continue;
    const Router::InputVc& in = router.input(locals_[p].in, port.vc_);
    const Cycles credits = port.credits(port.vc_);
    if (router.is_active(in)) end = std::min(end, now + std::max(credits, Cycles{in.count}));
  }
  for (std::size_t p = 0; p < locals_.size(); ++p) {
    const InjectionPort& port = terminal_->injection_[p];
    Local& local = locals_[p];
    // One that sleeps by its pace does so beyond the stretch.
    local.injects = port.has_packet_ && (port.starved_ || terminal_->awake_.contains(static_cast<int>(p)));
    if (!local.injects) continue;
    local.vc = port.vc_;
    local.answers = router.is_active(router.input(local.in, local.vc)) && port.credits(local.vc) < end - now;
  }
  return end;
}

void NodeStretch::take_arrivals(Cycles now, Cycles end) {
  const Router& router = module_->router_;
  for (std::size_t i = 0; i < router.inputs_.size(); ++i) {
    arriving_[i] = {};
    returning_[i] = {};
    segments_[i].clear();
    sent_[i] = 0;
  }
  for (int port = 0; port < static_cast<int>(module_->in.size()); ++port) take_flits(port, now, end);
  for (int port = 0; port < static_cast<int>(module_->out.size()); ++port) {
    const auto index = [&](int vc) { return router.index(port, vc); };
    Wire& wire = module_->wire_out(port);
    wire.take_credit_runs(now, end, [&](const CreditRun& run) { returning_[index(run.vc)] |= run.cycles; });
    while (wire.has_credit(end - 1)) {
      const Cycles at = wire.credits().front().at();
      returning_[index(wire.take_credit())].set(at - now);
    }
  }
  for (Local& local : locals_) {
    std::fill(local.returns.begin(), local.returns.end(), CycleMask());
    Wire& wire = module_->wire_in(local.in);
    while (wire.has_credit(end - 1)) {
      const Cycles at = wire.credits().front().at();
      local.returns[static_cast<std::size_t>(wire.take_credit())].set(at - now);
    }
  }
}

// Runs and single flits of a wire in the order in which they come.
void NodeStretch::take_flits(int port, Cycles now, Cycles end) {
  Wire& wire = module_->wire_in(port);
  const auto take_until = [&](Cycles last) {
    while (wire.has_flit(last)) {
      const Wire::TimedFlit flit = wire.take_flit();
      const std::size_t input_vc = module_->router_.index(port, flit.stamp.vc());
      arriving_[input_vc].set(flit.stamp.at() - now);
      add_segment(input_vc, {flit.flit, 1, flit.flit.tail != 0});
    }
  };
  wire.take_flit_runs(now, end, [&](const FlitRun& run) {
    take_until(now + run.cycles.front());
    const std::size_t input_vc = module_->router_.index(port, run.vc);
    arriving_[input_vc] |= run.cycles;
    add_segment(input_vc, {run.first, run.cycles.count(), false});
  });
  take_until(end - 1);
}

void NodeStretch::add_segment(std::size_t input_vc, const Segment& segment) {
  std::vector<Segment>& segments = segments_[input_vc];
  if (!segments.empty() && segments.back().first.packet == segment.first.packet && !segments.back().tail) {
    segments.back().flits += segment.flits;
    segments.back().tail = segment.tail;
  } else {
    segments.push_back(segment);
  }
}

void NodeStretch::find_flows() {
  const Router& router = module_->router_;
  flows_.clear();
  for (std::size_t i = 0; i < router.inputs_.size(); ++i) {
    const Router::InputVc& in = router.inputs_[i];
    if (!router.is_active(in)) continue;
    SwitchFlow flow;
    flow.input_vc = static_cast<std::int32_t>(i);
    flow.output_vc = in.out;
    flow.in_port = in.port;
    flow.vc = static_cast<std::int32_t>(i) - in.port * router.vcs_;
    flow.out_port = in.out_port;
    flow.flits = in.count;
    flow.credits = router.outputs_[static_cast<std::size_t>(in.out)].credits;
    flows_.push_back(flow);
  }
}

// Part by part.
void NodeStretch::run_switch(Cycles now, Cycles cycles) {
  Router& router = module_->router_;
  std::erase_if(flows_, [&](SwitchFlow& flow) {
    flow.arrivals = arriving_[static_cast<std::size_t>(flow.input_vc)];
    flow.returns = returning_[static_cast<std::size_t>(flow.output_vc)];
    return (flow.flits == 0 && flow.arrivals.empty()) || (flow.credits == 0 && flow.returns.empty());
  });
  while (!flows_.empty()) {
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    const auto join = [&](const SwitchFlow& flow) {
      inputs |= std::uint64_t{1} << flow.in_port;
      outputs |= std::uint64_t{1} << flow.out_port;
    };
    const auto joins = [&](const SwitchFlow& flow) {
      return ((inputs >> flow.in_port | outputs >> flow.out_port) & 1U) != 0;
    };
    const auto joins_already = [&](const SwitchFlow& flow) {
      return ((inputs >> flow.in_port & outputs >> flow.out_port) & 1U) != 0;
    };
    join(flows_.front());
    for (bool grows = true; grows;) {
      grows = false;
      for (const SwitchFlow& flow : flows_) {
        if (!joins(flow) || joins_already(flow)) continue;
        join(flow);
        grows = true;
      }
    }
    part_.flows.clear();
    part_.inputs.clear();
    part_.outputs.clear();
    std::erase_if(flows_, [&](const SwitchFlow& flow) {
      if (!joins(flow)) return false;
      part_.flows.push_back(flow);
      return true;
    });
    for (; inputs != 0; inputs &= inputs - 1) {
      const int port = std::countr_zero(inputs);
      const Router::InputPort& in = router.input_ports_[static_cast<std::size_t>(port)];
      part_.inputs.push_back({port, in.vc_pointer, in.accept_pointer});
    }
    for (; outputs != 0; outputs &= outputs - 1) {
      const int port = std::countr_zero(outputs);
      const Router::OutputPort& out = router.output_ports_[static_cast<std::size_t>(port)];
      const Router::Pace pace = out.slow ? router.paces_[static_cast<std::size_t>(port)] : Router::Pace{};
      part_.outputs.push_back(
          {port, out.grant_pointer, pace.flit_time, pace.next_free - now * router.period_});
    }
    switches_->run(part_, cycles, {router.ports_, router.vcs_});
    for (const SwitchInput& input : part_.inputs) {
      Router::InputPort& in = router.input_ports_[static_cast<std::size_t>(input.port)];
      in.vc_pointer = static_cast<std::uint16_t>(input.vc_pointer);
      in.accept_pointer = static_cast<std::int16_t>(input.accept_pointer);
    }
    for (const SwitchOutput& output : part_.outputs) {
      Router::OutputPort& out = router.output_ports_[static_cast<std::size_t>(output.port)];
      out.grant_pointer = static_cast<std::int16_t>(output.grant_pointer);
      if (out.slow)
        router.paces_[static_cast<std::size_t>(output.port)].next_free =
            output.next_free + now * router.period_;
    }
    for (const SwitchFlow& flow : part_.flows) {
      if (!flow.sent.empty()) pass_on(flow, now, cycles);
    }
  }
}

// What a flow sends goes onto its channel, or to the terminal.
void NodeStretch::pass_on(const SwitchFlow& flow, Cycles now, Cycles cycles) {
  Router& router = module_->router_;
  const int sent = flow.sent.count();
  sent_[static_cast<std::size_t>(flow.input_vc)] = sent;
  moved_flits_ += sent;
  module_->moved(std::max(module_->last_movement(), now + flow.sent.back()));
  Router::OutputVc& out = router.outputs_[static_cast<std::size_t>(flow.output_vc)];
  out.credits -= sent;
  const int out_vc = flow.output_vc - flow.out_port * router.vcs_;
  const Flit first = first_of(static_cast<std::size_t>(flow.input_vc));
  if (context().events.watched()) {
    int index = 0;
    flow.sent.for_each([&](Cycles cycle) {
      told_.push_back({now + cycle,
                       FlitEvents::Stage::kSwitch,
                       flow.in_port,
                       {module_->node(), flow.out_port, module_->local_port(flow.out_port), out_vc,
                        later(first, index++)}});
    });
  }
  const int local_in = local_in_[static_cast<std::size_t>(flow.in_port)];
  if (local_in < 0) {
    module_->wire_in(flow.in_port).return_run({now + module_->place_delay_, flow.sent, flow.vc});
  } else {
    const Cycles delay = module_->place_delay_ + module_->wire_in(flow.in_port).credit_latency();
    locals_[static_cast<std::size_t>(local_in)].returns[static_cast<std::size_t>(flow.vc)] |=
        flow.sent.later(delay) & CycleMask::first(cycles);
    local_flows_.push_back({flow.sent, first, flow.in_port, -1, flow.vc});
  }
  const int local_out = local_out_[static_cast<std::size_t>(flow.out_port)];
  if (local_out < 0) {
    module_->wire_out(flow.out_port).send_run({now + module_->flit_delay_, flow.sent, first, out_vc});
  } else {
    local_flows_.push_back({flow.sent, first, -1, flow.out_port, out_vc});
  }
}

Flit NodeStretch::first_of(std::size_t input_vc) const {
  const Router& router = module_->router_;
  return router.inputs_[input_vc].count > 0 ? router.buffers_[router.ring_index(input_vc, 0)]
                                            : segments_[input_vc].front().first;
}

void NodeStretch::inject(Local& local, Cycles now, Cycles cycles) {
  const int p = local.in - locals_.front().in;
  InjectionPort& port = terminal_->injection_[static_cast<std::size_t>(p)];
  Packet& packet = packets()[port.packet_];
  CycleMask& returns = local.returns[static_cast<std::size_t>(local.vc)];
  std::int32_t& credits = port.vcs_[static_cast<std::size_t>(local.vc)].credits;
  const Flit first{port.packet_, port.sent_flits_ & 0x7fffffffU, 0};
  CycleMask sent;
  if (packet.flit_time <= port.period_ && port.next_flit_ <= now && credits >= cycles) {
    sent = CycleMask::first(cycles);
    credits += returns.count() - static_cast<std::int32_t>(cycles);
    port.sent_flits_ += static_cast<std::uint32_t>(cycles);
  } else {
    for (Cycles cycle = 0; cycle < cycles; ++cycle) {
      credits += returns.test(cycle) ? 1 : 0;
      if (credits == 0 || now + cycle < port.next_flit_) continue;
      --credits;
      ++port.sent_flits_;
      sent.set(cycle);
      if (packet.flit_time > port.period_) port.advance_pace(packet, now + cycle);
    }
  }
  returns = {};
  port.starved_ = credits == 0 && !sent.test(cycles - 1);
  if (port.starved_) {
    terminal_->awake_.erase(p);
  } else {
    terminal_->awake_.insert(p);
  }
  if (sent.empty()) return;
  const int flits = sent.count();
  packet.injection_cycles += sent.sum() + flits * now;
  terminal_->injected_ += flits;
  terminal_->moved(std::max(terminal_->last_movement(), now + sent.back()));
  Wire& wire = terminal_->wire_out(p);
  const Cycles delay = 1 + wire.flit_latency();
  const CycleMask arrivals = sent.later(delay) & CycleMask::first(cycles);
  const int arrived = arrivals.count();
  const std::size_t input_vc = module_->router_.index(local.in, local.vc);
  if (arrived > 0) {
    arriving_[input_vc] |= arrivals;
    add_segment(input_vc, {first, arrived, false});
    wire.count_flits(arrived);
  }
  int late = arrived;
  for (Cycles cycle = std::max<Cycles>(0, cycles - delay); cycle < cycles; ++cycle) {
    if (sent.test(cycle)) wire.send(later(first, late++), local.vc, now + cycle + 1);
  }
  if (!context().events.watched()) return;
  int index = 0;
  sent.for_each([&](Cycles cycle) {
    told_.push_back({now + cycle,
                     FlitEvents::Stage::kInjection,
                     p,
                     {terminal_->node(), -1, p, local.vc, later(first, index++)}});
  });
}

// What goes from the router to the terminal and back.
void NodeStretch::pass_locally(Cycles now, Cycles end) {
  const Cycles cycles = end - now;
  for (Local& local : locals_) {
    Wire& wire = module_->wire_in(local.in);
    const Cycles delay = module_->place_delay_ + wire.credit_latency();
    for (Cycles cycle = std::max<Cycles>(0, cycles - delay); cycle < cycles; ++cycle) {
      for (const LocalFlow& flow : local_flows_) {
        if (flow.in_port == local.in && flow.sent.test(cycle))
          wire.return_credit(flow.vc, now + cycle + module_->place_delay_);
      }
    }
    for (std::size_t vc = 0; vc < local.returns.size(); ++vc) {
      terminal_->injection_[static_cast<std::size_t>(local.in - locals_.front().in)].vcs_[vc].credits +=
          local.returns[vc].count();
    }
    eject(local, now, end);
  }
  local_flows_.clear();
  if (ejected_.empty()) return;
  std::stable_sort(ejected_.begin(), ejected_.end(),
                   [](const TakenFlits::Taken& a, const TakenFlits::Taken& b) { return a.at < b.at; });
  for (const TakenFlits::Taken& taken : ejected_) {
    taken.ejector->flit_ejected(packets()[taken.flit.packet], taken.flit, taken.at);
    if (context().taken.kept()) context().taken.add(taken);
  }
  ejected_.clear();
}

void NodeStretch::eject(Local& local, Cycles now, Cycles end) {
  Router& router = module_->router_;
  Wire& wire = module_->wire_out(local.out);
  const auto port = static_cast<std::size_t>(local.out - locals_.front().out);
  Ejector* const taker = terminal_->flit_takers_[port];
  const Cycles returned = 1 + wire.credit_latency();
  const auto take = [&](Flit flit, int vc, Cycles at) {
    if (at + returned < end) {
      ++router.outputs_[router.index(local.out, vc)].credits;
    } else {
      wire.return_credit(vc, at + 1);
    }
    if (taker == nullptr) return;
    const Packet& packet = packets()[flit.packet];
    ejected_.push_back({taker, packet.tag, packet.index, flit, at});
  };
  const auto count = [&](PacketId packet, int flits, std::int64_t sum, Cycles last) {
    packets()[packet].ejection_cycles += sum;
    terminal_->ejected_ += flits;
    terminal_->moved(std::max(terminal_->last_movement(), last));
  };
  while (wire.has_flit(end - 1)) {
    const Wire::TimedFlit flit = wire.take_flit();
    count(flit.flit.packet, 1, flit.stamp.at(), flit.stamp.at());
    take(flit.flit, flit.stamp.vc(), flit.stamp.at());
  }
  const Cycles cycles = end - now;
  const Cycles delay = module_->flit_delay_ + wire.flit_latency();
  // Where flits are not wanted one by one, only the last ones have credits that are under way.
  const Cycles one_by_one = taker != nullptr ? 0 : std::max<Cycles>(0, cycles - delay - returned);
  for (LocalFlow& flow : local_flows_) {
    if (flow.out_port != local.out) continue;
    const CycleMask come = flow.sent.later(delay) & CycleMask::first(cycles);
    const int flits = come.count();
    if (flits > 0) {
      count(flow.first.packet, flits, come.sum() + flits * now, now + come.back());
      wire.count_flits(flits);
    }
    const int early = (flow.sent & CycleMask::first(one_by_one)).count();
    router.outputs_[router.index(local.out, flow.vc)].credits += early;
    flow.first = later(flow.first, early);
  }
  for (Cycles cycle = one_by_one; cycle < cycles; ++cycle) {
    for (LocalFlow& flow : local_flows_) {
      if (flow.out_port != local.out || !flow.sent.test(cycle)) continue;
      if (cycle + delay < cycles) {
        take(flow.first, flow.vc, now + cycle + delay);
      } else {
        wire.send(flow.first, flow.vc, now + cycle + module_->flit_delay_);
      }
      flow.first = later(flow.first, 1);
    }
  }
}

// What has been sent leaves the buffer first, what has come follows.
void NodeStretch::buffer(std::size_t input_vc) {
  Router& router = module_->router_;
  Router::InputVc& in = router.inputs_[input_vc];
  const auto popped = std::min(static_cast<std::uint32_t>(sent_[input_vc]), in.count);
  int passed = sent_[input_vc] - static_cast<int>(popped);
  in.head = (in.head + popped) & router.ring_mask_;
  in.count -= popped;
  for (Segment& segment : segments_[input_vc]) {
    const int skipped = std::min(passed, segment.flits);
    passed -= skipped;
    Flit flit = later(segment.first, skipped);
    flit.tail = 0;
    for (int i = skipped; i < segment.flits; ++i) {
      router.buffers_[router.ring_index(input_vc, in.count++)] = flit;
      flit = later(flit, 1);
    }
    if (segment.tail) router.buffers_[router.ring_index(input_vc, in.count - 1)].tail = 1;
  }
}

void NodeStretch::finish(Cycles now, Cycles end) {
  Router& router = module_->router_;
  pass_locally(now, end);
  for (std::size_t i = 0; i < router.inputs_.size(); ++i) {
    router.outputs_[i].credits += returning_[i].count();
    buffer(i);
  }
  for (const Router::InputVc& in : router.inputs_) router.recount(in);
  module_->set_next(router.any_asks() ? end : kNever);
  if (terminal_ != nullptr) {
    terminal_->set_next(!terminal_->awake_.empty()    ? end
                        : terminal_->wakeups_.empty() ? kNever
                                                      : terminal_->wakeups_.top().at);
  }
  if (told_.empty()) return;
  std::stable_sort(told_.begin(), told_.end(), [](const Told& a, const Told& b) {
    return std::tie(a.at, a.stage, a.port) < std::tie(b.at, b.stage, b.port);
  });
  for (const Told& told : told_)
    context().events.tell(told.stage, told.event, packets()[told.event.flit.packet], told.at);
  told_.clear();
}

}  // namespace coppice::fabric
