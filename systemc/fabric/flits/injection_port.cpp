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

void InjectionPort::advance_pace(const Packet& packet, Cycles now) {
  const auto cycles = [this](Femtoseconds time) { return (time + period_ - 1) / period_; };
  if (packet.first_of_message && sent_flits_ == 1) {
    message_start_ = now;
    message_flits_ = 0;
  }
  ++message_flits_;
  const bool last = packet.last_of_message && sent_flits_ == packet.flits;
  pace_ = last ? 0 : packet.flit_time;
  next_flit_ = last ? now + cycles(packet.flit_time)
                    : message_start_ + cycles(checked_time(message_flits_, packet.flit_time));
  if (next_flit_ <= now + 1) {
    next_flit_ = now + 1;
  } else {
    ++held_up_;
  }
}

InjectionPort::Outcome InjectionPort::step(Cycles now, PacketPool& packets) {
  Outcome outcome;
  outcome.next = next_cycle(now);
  if (now < next_flit_) return outcome;
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
  if (packet.flit_time > period_) advance_pace(packet, now);
  if (tail) {
    state.held = false;
    has_packet_ = false;
    injector_->packet_injected(packet, now);
  }
  outcome.next = next_cycle(now);
  return outcome;
}

}  // namespace coppice::fabric
