#include "fabric/terminal.h"

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
  if (ejector.takes_flits()) flit_takers_[p] = &ejector;
}

void PacketTerminal::wake(int port, Cycles at) {
  wakeups_.push({at, port});
  FlitModule::wake(at);
}

void PacketTerminal::receive_flit(int port, int vc, Flit flit, Cycles now) {
  const auto p = static_cast<std::size_t>(port);
  const Packet& packet = eject(port, vc, flit, now);
  if (flit_takers_[p] != nullptr) flit_takers_[p]->flit_ejected(packet, flit, now);
  if (!flit.tail) return;
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
    wakeups_.pop();
  }
  awake_.for_each([&](int port) {
    const InjectionPort::Outcome outcome =
        injection_[static_cast<std::size_t>(port)].step(now, context().packets);
    if (outcome.next != now + 1) {
      awake_.erase(port);
      if (outcome.next != InjectionPort::kAsleep) wakeups_.push({outcome.next, port});
    }
    if (outcome.sent) inject(port, outcome.vc, outcome.flit, now);
  });
  set_next(!awake_.empty() ? now + 1 : wakeups_.empty() ? kNever : wakeups_.top().at);
}

}  // namespace coppice::fabric
