#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "fabric/fabric.h"
#include "fabric/flits/repeating.h"
#include "fabric/framing.h"

namespace coppice::ni {

// Divides the messages of a port into packets, in order, as fast as the injection channel accepts them. It
// holds at most two messages, the current one and the next one, so that the link need not idle between
// messages.
//
// The setup of a message occupies the port for a number of cycles after its data is ready and the previous
// message has left. It models the time that C-Cube's kernels spend on synchronisation with the receiver. In
// the linear cost model, this time is alpha.
class Packetizer final : public fabric::Injector, public fabric::Repeating {
 public:
  static constexpr std::size_t kMessages = 2;

  explicit Packetizer(const fabric::Framing& framing) : framing_(framing) {}

  // Whether a message may be pushed in cycle `now`. A slot becomes free in the cycle after its message's tail
  // has left. This holds even if the tail's departure is processed before this call in the same cycle.
  bool has_place(Cycles now) const { return queued_ + (tail_left_ == now ? 1 : 0) < kMessages; }
  // Accepts a message whose first flit is read from memory in cycle `ready` and whose setup takes `setup`
  // cycles; requires has_place(). The caller must wake the fabric at front_ready(), both after this call and
  // whenever a tail has left.
  void push(const fabric::Message& message, Cycles ready, Cycles setup = 0) {
    queue_[(front_ + queued_) % kMessages] = {message, ready, setup};
    if (++queued_ == 1) set_up_front();
  }
  // The earliest cycle in which the front message may send its head; -1 if there is no message.
  Cycles front_ready() const { return queued_ == 0 ? -1 : queue_[front_].ready; }

  // Called when the head (or tail) flit of a message enters the injection channel, with the message's ID and
  // the cycle.
  std::function<void(std::uint64_t, Cycles)> on_head_injected;
  std::function<void(std::uint64_t, Cycles)> on_tail_injected;

  Answer next_packet(Cycles now, fabric::Packet& packet) override;
  void packet_injected(const fabric::Packet& packet, Cycles now) override;
  Pending next_message() override;
  void message_started(std::uint64_t message, Cycles now) override { on_head_injected(message, now); }
  void message_injected(std::uint64_t message, Cycles now) override;
  void visit(fabric::StateRecorder& recorder) override { visit_all(recorder); }
  void visit(fabric::StateShifter& shifter) override { visit_all(shifter); }

 private:
  struct Queued {
    fabric::Message message;
    Cycles ready;
    Cycles setup;
  };

  // Visits the cycles of all messages, even past ones. These are absolute cycles, which do not change while
  // the same messages are queued.
  template <typename Visitor>
  void visit_all(Visitor& visitor) {
    visitor.value(queued_);
    visitor.value(tail_left_);
    for (std::size_t i = 0; i < queued_; ++i) {
      const Queued& queued = queue_[(front_ + i) % kMessages];
      visitor.value(queued.message.id);
      visitor.value(queued.ready);
      visitor.value(queued.setup);
    }
    if (queued_ == 0) return;
    const fabric::Message& front = queue_[front_].message;
    visitor.growth(front.id, next_packet_, framing_.packets(front.bytes) - 1, true);
  }
  void set_up_front();
  void pop(Cycles now);

  fabric::Framing framing_;
  std::array<Queued, kMessages> queue_;
  std::size_t front_ = 0;
  std::size_t queued_ = 0;
  std::int64_t next_packet_ = 0;  // index of the next packet in the front message
  Cycles tail_left_ = -1;         // the cycle in which the tail of the last message left
};

}  // namespace coppice::ni
