#include "fabric/flits/terminal_stretch.h"

#include <algorithm>

namespace coppice::fabric {

TerminalStretch::TerminalStretch(SystemCRouter& router, PacketTerminal& terminal, FlitContext& context)
    : module_(&router),
      terminal_(&terminal),
      context_(&context),
      vcs_(context.system->router.vcs),
      first_in_(static_cast<int>(router.in.size() - terminal.out.size())),
      first_out_(static_cast<int>(router.out.size() - terminal.out.size())) {
  for (int port = 0; port < static_cast<int>(terminal.out.size()); ++port) {
    Local local;
    local.in = first_in_ + port;
    local.out = first_out_ + port;
    local.returns.resize(static_cast<std::size_t>(vcs_));
    locals_.push_back(std::move(local));
  }
}

Cycles TerminalStretch::undisturbed(Cycles now, Cycles end) const {
  if (!terminal_->wakeups_.empty()) end = std::min(end, terminal_->wakeups_.top().at);
  for (const Local& local : locals_) {
    const InjectionPort& port = port_of(local);
    if (port.has_packet_ ? port.vc_ < 0 || port.sent_flits_ == 0
                         : terminal_->awake_.contains(local.in - first_in_))
      return now;
    module_->wire_out(local.out).for_each_flit(end, [&](Flit flit, Stamp stamp) {
      if (flit.tail) end = stamp.at();
      return !flit.tail;
    });
  }
  return std::max(now, end);
}

void TerminalStretch::fetch_flits(Cycles end) {
  for (const Local& local : locals_) module_->wire_out(local.out).fetch_flits(end);
}

Cycles TerminalStretch::independent(Cycles now, Cycles end) {
  const Router& router = module_->router();
  for (const Local& local : locals_) {
    for (int vc = 0; vc < vcs_; ++vc) {
      if (router.output_vc_busy(local.out, vc)) end = std::min(end, now + router.credits(local.out, vc));
    }
    const InjectionPort& port = port_of(local);
    if (!port.has_packet_ || router.held_output_vc(local.in, port.vc_) < 0) continue;
    const Cycles credits = port.credits(port.vc_);
    end = std::min(end, now + std::max<Cycles>(credits, router.buffered(local.in, port.vc_)));
  }
  for (Local& local : locals_) {
    const InjectionPort& port = port_of(local);
    // A port that sleeps because of its message's pace does not wake up within the stretch.
    local.injects = port.has_packet_ && (port.starved_ || terminal_->awake_.contains(local.in - first_in_));
    if (!local.injects) continue;
    local.vc = port.vc_;
    local.answers = router.held_output_vc(local.in, local.vc) >= 0 && port.credits(local.vc) < end - now;
  }
  return end;
}

// The number of cycles from a flit's departure from the router's buffer until the terminal receives the
// flit's credit.
Cycles TerminalStretch::credit_delay(const Local& local) const {
  return module_->slot_delay() + module_->wire_in(local.in).credit_latency();
}

// Collects credits that are on their way to the terminal.
void TerminalStretch::gather_returns(Local& local, Cycles now, Cycles end) {
  std::fill(local.returns.begin(), local.returns.end(), CycleMask());
  module_->wire_in(local.in).for_each_credit(end, [&](Stamp credit) {
    local.returns[static_cast<std::size_t>(credit.vc())].set(credit.at() - now);
  });
}

// Adds the credits for flits that the router sends in this stretch.
void TerminalStretch::add_returns(Local& local, const std::vector<SwitchFlow>& flows, Cycles cycles) const {
  const Cycles delay = credit_delay(local);
  for (const SwitchFlow& flow : flows) {
    if (flow.in_port == local.in)
      local.returns[static_cast<std::size_t>(flow.vc)] |= flow.sent.later(delay) & CycleMask::first(cycles);
  }
}

Cycles TerminalStretch::foresee(Cycles now, Cycles end) {
  Cycles first_tail = end;
  injections_.clear();
  for (Local& local : locals_) {
    gather_returns(local, now, end);
    if (!local.injects || local.answers) continue;
    first_tail = std::min(first_tail, plan(local, now, end));
    injections_.push_back(injection_of(local, end - now));
  }
  return first_tail;
}

Cycles TerminalStretch::foresee_answers(const std::vector<SwitchFlow>& flows, Cycles now, Cycles end) {
  for (Local& local : locals_) {
    add_returns(local, flows, end - now);
    if (local.injects && local.answers) end = plan(local, now, end);
  }
  return end;
}

// Plans the injections that the credits of `local` allow. Returns the cycle in which the tail would be
// injected, but at most `end`.
Cycles TerminalStretch::plan(Local& local, Cycles now, Cycles end) const {
  const InjectionPort& port = port_of(local);
  const Packet& packet = packets()[port.packet_];
  const CycleMask& returns = local.returns[static_cast<std::size_t>(local.vc)];
  const Cycles cycles = end - now;
  Cycles credits = port.credits(local.vc);
  if (packet.flit_time <= port.period_ && port.pacing_.next_flit <= now) {
    local.sent = returns.served(credits) & CycleMask::first(cycles);
  } else {
    InjectionPort::Pacing pacing = port.pacing_;
    std::uint32_t flits = port.sent_flits_;
    local.sent = {};
    for (Cycles cycle = 0; cycle < cycles; ++cycle) {
      credits += returns.test(cycle) ? 1 : 0;
      if (credits == 0 || now + cycle < pacing.next_flit) continue;
      --credits;
      ++flits;
      local.sent.set(cycle);
      if (packet.flit_time > port.period_) pacing.advance(packet, flits, now + cycle, port.period_);
    }
  }
  return std::min(end, now + local.sent.nth(Cycles{packet.flits} - 1 - port.sent_flits_));
}

TerminalStretch::Injection TerminalStretch::injection_of(const Local& local, Cycles cycles) const {
  const InjectionPort& port = port_of(local);
  const Cycles delay = 1 + module_->wire_in(local.in).flit_latency();
  return {local.in, local.vc, Flit{port.packet_, port.sent_flits_ & 0x7fffffffU, 0},
          local.sent.later(delay) & CycleMask::first(cycles)};
}

void TerminalStretch::move(const std::vector<SwitchFlow>& flows, Cycles now, Cycles end,
                           std::vector<FlitReport>& reports) {
  const Cycles cycles = end - now;
  injections_.clear();
  returns_.clear();
  for (Local& local : locals_) {
    Wire& wire = module_->wire_in(local.in);
    wire.drop_credits(end);
    return_slots(local, flows, now, cycles);
    for (int vc = 0; vc < vcs_; ++vc) {
      const CycleMask& returns = local.returns[static_cast<std::size_t>(vc)];
      if (!returns.empty())
        port_of(local).vcs_[static_cast<std::size_t>(vc)].credits +=
            (returns & CycleMask::first(cycles)).count();
    }
    if (local.injects) inject(local, now, cycles, reports);
    eject(local, flows, now, end);
  }
  notify_ejectors();
  terminal_->set_next(!terminal_->awake_.empty()    ? end
                      : terminal_->wakeups_.empty() ? kNever
                                                    : terminal_->wakeups_.top().at);
}

// Puts onto the wire the credits that do not reach the terminal before the end of the stretch.
void TerminalStretch::return_slots(const Local& local, const std::vector<SwitchFlow>& flows, Cycles now,
                                   Cycles cycles) {
  Wire& wire = module_->wire_in(local.in);
  for (Cycles cycle = std::max<Cycles>(0, cycles - credit_delay(local)); cycle < cycles; ++cycle) {
    for (const SwitchFlow& flow : flows) {
      if (flow.in_port == local.in && flow.sent.test(cycle))
        wire.return_credit(flow.vc, now + cycle + module_->slot_delay());
    }
  }
}

// Applies the planned injections and the credits that have arrived.
void TerminalStretch::inject(const Local& local, Cycles now, Cycles cycles,
                             std::vector<FlitReport>& reports) {
  const int p = local.in - first_in_;
  InjectionPort& port = port_of(local);
  Packet& packet = packets()[port.packet_];
  const CycleMask sent = local.sent & CycleMask::first(cycles);
  const int flits = sent.count();
  const Injection injection = injection_of(local, cycles);
  std::int32_t& credits = port.vcs_[static_cast<std::size_t>(local.vc)].credits;
  credits -= flits;
  port.starved_ = credits == 0 && !sent.test(cycles - 1);
  if (port.starved_) {
    terminal_->awake_.erase(p);
  } else {
    terminal_->awake_.insert(p);
  }
  if (flits == 0) return;
  if (packet.flit_time > port.period_) {
    std::uint32_t left = port.sent_flits_;
    sent.for_each([&](Cycles cycle) { port.pacing_.advance(packet, ++left, now + cycle, port.period_); });
  }
  port.sent_flits_ += static_cast<std::uint32_t>(flits);
  packet.injection_cycles += sent.sum() + flits * now;
  terminal_->injected_ += flits;
  terminal_->moved(std::max(terminal_->last_movement(), now + sent.back()));
  Wire& wire = terminal_->wire_out(p);
  int late = injection.arrivals.count();
  wire.count_flits(late);
  if (late > 0) injections_.push_back(injection);
  for (Cycles cycle = std::max<Cycles>(0, cycles - 1 - wire.flit_latency()); cycle < cycles; ++cycle) {
    if (sent.test(cycle)) wire.send(later(injection.first, late++), local.vc, now + cycle + 1);
  }
  if (!context_->events.watched()) return;
  int index = 0;
  sent.for_each([&](Cycles cycle) {
    reports.push_back({now + cycle,
                       FlitEvents::Stage::kInjection,
                       p,
                       {terminal_->node(), -1, p, local.vc, later(injection.first, index++)}});
  });
}

void TerminalStretch::eject(const Local& local, const std::vector<SwitchFlow>& flows, Cycles now,
                            Cycles end) {
  take_waiting(local, end);
  Wire& wire = module_->wire_out(local.out);
  const Cycles cycles = end - now;
  const Cycles delay = module_->flit_delay() + wire.flit_latency();
  // If the ejector does not need individual flits, all but the last flits are handled together. The credits
  // of the last flits are still in flight, so these flits are handled one by one.
  const bool wanted = terminal_->flit_takers_[static_cast<std::size_t>(local.out - first_out_)] != nullptr;
  const Cycles one_by_one = wanted ? 0 : std::max<Cycles>(0, cycles - delay - 1 - wire.credit_latency());
  leaving_.clear();
  for (const SwitchFlow& flow : flows) {
    if (flow.out_port != local.out || flow.sent.empty()) continue;
    const CycleMask come = flow.sent.later(delay) & CycleMask::first(cycles);
    const int flits = come.count();
    if (flits > 0) {
      count_ejected(flow.first.packet, flits, come.sum() + flits * now, now + come.back());
      wire.count_flits(flits);
    }
    const int early = (flow.sent & CycleMask::first(one_by_one)).count();
    returns_.push_back({flow.output_vc, early});
    leaving_.push_back({&flow, flow.output_vc - flow.out_port * vcs_, later(flow.first, early)});
  }
  if (leaving_.empty()) return;
  for (Cycles cycle = one_by_one; cycle < cycles; ++cycle) {
    for (Leaving& leaving : leaving_) {
      if (!leaving.flow->sent.test(cycle)) continue;
      if (cycle + delay < cycles) {
        take(local, leaving.next, leaving.vc, now + cycle + delay, end);
      } else {
        wire.send(leaving.next, leaving.vc, now + cycle + module_->flit_delay());
      }
      leaving.next = later(leaving.next, 1);
    }
  }
}

void TerminalStretch::take_waiting(const Local& local, Cycles end) {
  Wire& wire = module_->wire_out(local.out);
  while (wire.has_flit(end - 1)) {
    const TimedFlit flit = wire.pop_flit();
    count_ejected(flit.flit.packet, 1, flit.stamp.at(), flit.stamp.at());
    take(local, flit.flit, flit.stamp.vc(), flit.stamp.at(), end);
  }
}

void TerminalStretch::take(const Local& local, Flit flit, int vc, Cycles at, Cycles end) {
  Wire& wire = module_->wire_out(local.out);
  if (at + 1 + wire.credit_latency() < end) {
    returns_.push_back({local.out * vcs_ + vc, 1});
  } else {
    wire.return_credit(vc, at + 1);
  }
  Ejector* const taker = terminal_->flit_takers_[static_cast<std::size_t>(local.out - first_out_)];
  if (taker == nullptr) return;
  const Packet& packet = packets()[flit.packet];
  ejected_.push_back({taker, packet.tag, packet.index, flit, at});
}

void TerminalStretch::count_ejected(PacketId packet, int flits, std::int64_t sum, Cycles last) {
  packets()[packet].ejection_cycles += sum;
  terminal_->ejected_ += flits;
  terminal_->moved(std::max(terminal_->last_movement(), last));
}

void TerminalStretch::notify_ejectors() {
  if (ejected_.empty()) return;
  std::stable_sort(
      ejected_.begin(), ejected_.end(),
      [](const ReceivedFlits::Received& a, const ReceivedFlits::Received& b) { return a.at < b.at; });
  for (const ReceivedFlits::Received& taken : ejected_) {
    taken.ejector->flit_ejected(packets()[taken.flit.packet], taken.flit, taken.at);
    if (context_->taken.kept()) context_->taken.add(taken);
  }
  ejected_.clear();
}

}  // namespace coppice::fabric
