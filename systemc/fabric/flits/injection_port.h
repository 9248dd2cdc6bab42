#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/fabric.h"

namespace coppice::fabric {

// The sending side of a network-interface port at flit level. It fetches one packet at a time from its
// Injector and assigns the packet a virtual channel of the router's input port: the next one in round-robin
// order that has a credit and is not held by an unfinished packet. It sends one flit per cycle, or fewer if
// the message's route has a slower channel. In that case, flit i of a message leaves i flit times after the
// first flit, rounded up to a whole cycle, and the next message starts one flit time (rounded up) after the
// last flit.
class InjectionPort {
 public:
  InjectionPort(int vcs, int vc_depth, Femtoseconds period)
      : vcs_(static_cast<std::size_t>(vcs)), period_(period) {
    for (auto& vc : vcs_) vc.credits = vc_depth;
  }

  void connect(Injector& injector) { injector_ = &injector; }
  bool connected() const { return injector_ != nullptr; }

  // Records a credit for virtual channel `vc`. Returns whether a packet may have been waiting for the credit.
  bool receive_credit(int vc) {
    ++vcs_[static_cast<std::size_t>(vc)].credits;
    return starved_;
  }

  static constexpr Cycles kAsleep = -1;
  struct Outcome {
    bool sent = false;
    int vc = 0;
    Flit flit;
    // The next cycle in which step() must be called, or kAsleep if nothing can be sent until Fabric::wake()
    // is called or a credit arrives.
    Cycles next = kAsleep;
  };
  // Simulates one cycle, in which at most one flit of the current packet is sent.
  Outcome step(Cycles now, PacketPool& packets);

  // Visits all state except the injector's, for leaps (repeating.h).
  template <typename Visitor>
  void visit(Visitor& visitor, const PacketPool& packets) {
    for (const VcState& vc : vcs_) visitor.value(vc.credits * 2 + (vc.held ? 1 : 0));
    visitor.value((has_packet_ ? 1 : 0) + (starved_ ? 2 : 0));
    visitor.value((vc_ + 1) * 256 + last_vc_ + 1);
    visitor.time(pacing_.next_flit);
    if (has_packet_) {
      const Packet& packet = packets[packet_];
      visitor.packet(packet_);
      if (packet.first_of_message && packet.last_of_message) {
        visitor.growth(packet.tag, sent_flits_, packet.flits - 1, false);
      } else {
        visitor.value(sent_flits_);
      }
    }
    visitor.value(pacing_.pace);
    if (pacing_.pace == 0) return;
    visitor.pace(pacing_.message_start, pacing_.message_flits * pacing_.pace, pacing_.held_up);
    visitor.counter(pacing_.message_flits);
  }

  int credits(int vc) const { return vcs_[static_cast<std::size_t>(vc)].credits; }
  bool busy() const { return has_packet_; }

 private:
  friend class TerminalStretch;

  struct VcState {
    std::int32_t credits = 0;
    bool held = false;
  };
  // Determines when the next flit may leave.
  struct Pacing {
    Cycles message_start = 0;        // cycle in which the current message started
    std::int64_t message_flits = 0;  // number of flits of the current message that have been sent
    Femtoseconds pace = 0;  // flit time of the current message if its route is slower than one flit per cycle
    std::int64_t held_up = 0;  // number of flits delayed by the pace of their message
    Cycles next_flit = 0;      // the first cycle in which the pace allows a flit

    // Records that flit `sent` - 1 of `packet` left in cycle `now`. Called only for packets whose pace is
    // slower than one flit per cycle.
    void advance(const Packet& packet, std::uint32_t sent, Cycles now, Femtoseconds period);
  };

  // A port stays awake during waits of up to this many cycles, because going to sleep and waking up costs as
  // much as a few awake cycles.
  static constexpr Cycles kShortWait = 4;

  bool choose_vc();
  Cycles next_cycle(Cycles now) const {
    return pacing_.next_flit > now + kShortWait ? pacing_.next_flit : now + 1;
  }

  Injector* injector_ = nullptr;
  std::vector<VcState> vcs_;
  Femtoseconds period_;
  Pacing pacing_;
  bool has_packet_ = false;
  bool starved_ = false;  // whether the current packet is waiting for a credit
  PacketId packet_ = 0;
  std::uint32_t sent_flits_ = 0;
  int vc_ = -1;       // virtual channel of the current packet; -1 before it has one
  int last_vc_ = -1;  // virtual channel of the previous packet
};

}  // namespace coppice::fabric
