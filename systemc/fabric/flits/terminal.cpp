#include "fabric/flits/terminal.h"

#include <tuple>

#include <fmt/format.h>

namespace coppice::fabric {

PacketTerminal::PacketTerminal(const sc_core::sc_module_name& name, NodeId node, int ports,
                               FlitContext& context)
    : Terminal(name, node, ports, context),
      injection_(static_cast<std::size_t>(ports),
                 InjectionPort(context.system->router.vcs, context.system->router.vc_depth,
                               context.system->clock.period())),
      ejectors_(static_cast<std::size_t>(ports), nullptr),
      flit_takers_(static_cast<std::size_t>(ports), nullptr),
      awake_(ports) {
  for (int port = 0; port < ports; ++port) {
    network_ports_.push_back(
        std::make_unique<NetworkPort>(fmt::format("port_{}", port).c_str(), *this, port));
  }
}

void PacketTerminal::connect(int port, Injector& injector, Ejector& ejector) {
  const auto p = static_cast<std::size_t>(port);
  injection_[p].connect(injector);
  ejectors_[p] = &ejector;
  if (ejector.transports_flits()) flit_takers_[p] = &ejector;
  const auto add = [this](auto& side) {
    repeating_.push_back(dynamic_cast<Repeating*>(&side));
    repeats_ = repeats_ && repeating_.back() != nullptr;
  };
  add(injector);
  add(ejector);
}

void PacketTerminal::wake(int port, Cycles at) {
  wakeups_.push({at, port, true});
  FlitModule::wake(at);
}

void PacketTerminal::receive_flit(int port, int vc, Flit flit, Cycles now) {
  const auto p = static_cast<std::size_t>(port);
  const Packet& packet = eject(port, vc, flit, now);
  if (flit_takers_[p] != nullptr) {
    flit_takers_[p]->flit_ejected(packet, flit, now);
    if (context().taken.kept()) context().taken.add({flit_takers_[p], packet.tag, packet.index, flit, now});
  }
  if (!flit.tail) {
    if (flit.is_head()) ejectors_[p]->expect(packet);
    return;
  }
  ejectors_[p]->packet_ejected(packet, now);
  release(flit.packet);
}

void PacketTerminal::receive_credit(int port, int vc, Cycles now) {
  if (!injection_[static_cast<std::size_t>(port)].receive_credit(vc)) return;
  awake_.insert(port);
  want(now);
}

void PacketTerminal::step(Cycles now) {
  while (!wakeups_.empty() && wakeups_.top().at <= now) {
    awake_.insert(wakeups_.top().port);
    if (wakeups_.top().clock) disturb();
    wakeups_.pop();
  }
  awake_.for_each([&](int port) {
    const InjectionPort::Outcome outcome =
        injection_[static_cast<std::size_t>(port)].step(now, context().packets);
    if (outcome.next != now + 1) {
      awake_.erase(port);
      if (outcome.next != InjectionPort::kAsleep) wakeups_.push({outcome.next, port, false});
    }
    if (!outcome.sent) return;
    inject(port, outcome.vc, outcome.flit, now);
    if (outcome.flit.tail && context().packets[outcome.flit.packet].last_of_message) disturb();
  });
  set_next(!awake_.empty() ? now + 1 : wakeups_.empty() ? kNever : wakeups_.top().at);
}

template <typename Visitor>
void PacketTerminal::Wakeups::visit(Visitor& visitor) {
  std::sort(heap_.begin(), heap_.end(), [](const Wakeup& a, const Wakeup& b) {
    return std::tie(a.at, a.port, a.clock) < std::tie(b.at, b.port, b.clock);
  });
  visitor.value(heap_.size());
  for (Wakeup& wakeup : heap_) {
    visitor.value(wakeup.port * 2 + (wakeup.clock ? 1 : 0));
    if (wakeup.clock) {
      visitor.timer(wakeup.at);
    } else {
      visitor.time(wakeup.at);
    }
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

template <typename Visitor>
void PacketTerminal::visit_all(Visitor& visitor) {
  if (!repeats_) visitor.refuse();
  visit_counts(visitor);
  awake_.for_each([&](int port) { visitor.value(port); });
  visitor.value(-1);
  for (InjectionPort& port : injection_) port.visit(visitor, context().packets);
  wakeups_.visit(visitor);
  // A leap shifts the wake-ups of paced flits but not those of messages timed by the clock, so the order of
  // wake-ups may have changed.
  if (!wakeups_.empty()) want(wakeups_.top().at);
  for (Repeating* side : repeating_) {
    if (side != nullptr) side->visit(visitor);
  }
}

}  // namespace coppice::fabric
