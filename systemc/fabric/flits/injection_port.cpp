#include "fabric/flits/injection_port.h"

#include <algorithm>

#include "base/time_limit.h"

namespace coppice::fabric {

bool InjectionPort::choose_vc() {
  const int count = static_cast<int>(vcs_.size());
  for (int i = 1; i <= count; ++i) {
    const int vc = last_vc_ < 0 ? i - 1 : (last_vc_ + i) % count;
    const VcState& state = vcs_[static_cast<std::size_t>(vc)];
    if (!state.held && state.credits > 0) {
      vc_ = vc;
      return true;
    }
  }
  return false;
}

void InjectionPort::Pacing::advance(const Packet& packet, std::uint32_t sent, Cycles now,
                                    Femtoseconds period) {
  const auto cycles = [period](Femtoseconds time) { return (time + period - 1) / period; };
  if (packet.first_of_message && sent == 1) {
    message_start = now;
    message_flits = 0;
  }
  ++message_flits;
  const bool last = packet.last_of_message && sent == packet.flits;
  pace = last ? 0 : packet.flit_time;
  next_flit = last ? now + cycles(packet.flit_time)
                   : message_start + cycles(checked_time(message_flits, packet.flit_time));
  if (next_flit <= now + 1) {
    next_flit = now + 1;
  } else {
    ++held_up;
  }
}

InjectionPort::Outcome InjectionPort::step(Cycles now, PacketPool& packets) {
  Outcome outcome;
  outcome.next = next_cycle(now);
  if (now < pacing_.next_flit) return outcome;
  if (!has_packet_) {
    Packet packet;
    const Injector::Answer answer = injector_->next_packet(now, packet);
    if (answer != Injector::Answer::kPacket) {
      if (answer == Injector::Answer::kSleep) outcome.next = kAsleep;
      return outcome;
    }
    packet_ = packets.acquire(packet);
    has_packet_ = true;
    sent_flits_ = 0;
    vc_ = -1;
  }
  const bool chosen = vc_ >= 0;
  starved_ = !(chosen || choose_vc()) || vcs_[static_cast<std::size_t>(vc_)].credits == 0;
  if (starved_) {
    outcome.next = kAsleep;
    return outcome;
  }
  if (!chosen) {
    last_vc_ = vc_;
    vcs_[static_cast<std::size_t>(vc_)].held = true;
    packets[packet_].head_injected = now;
  }
  VcState& state = vcs_[static_cast<std::size_t>(vc_)];
  --state.credits;
  Packet& packet = packets[packet_];
  const bool tail = sent_flits_ + 1 == packet.flits;
  outcome.sent = true;
  outcome.vc = vc_;
  outcome.flit = Flit{packet_, sent_flits_ & 0x7fffffffU, tail ? 1U : 0U};
  packet.injection_cycles += now;
  ++sent_flits_;
  if (packet.flit_time > period_) pacing_.advance(packet, sent_flits_, now, period_);
  if (tail) {
    state.held = false;
    has_packet_ = false;
    injector_->packet_injected(packet, now);
  }
  outcome.next = next_cycle(now);
  return outcome;
}

}  // namespace coppice::fabric
