#include "ni/messages/packetizer.h"

#include <algorithm>

namespace coppice::ni {

void Packetizer::set_up_front() {
  Queued& front = queue_[front_];
  if (front.setup > 0) front.ready = std::max(front.ready, tail_left_ + 1) + front.setup;
}

void Packetizer::pop(Cycles now) {
  front_ = (front_ + 1) % kMessages;
  --queued_;
  tail_left_ = now;
  if (queued_ > 0) set_up_front();
}

fabric::Injector::Answer Packetizer::next_packet(Cycles now, fabric::Packet& packet) {
  if (queued_ == 0) return Answer::kSleep;
  const Queued& front = queue_[front_];
  if (front.ready > now) return Answer::kSleep;  // the sender of the message wakes the fabric at that time
  const fabric::Message& message = front.message;
  packet.route = message.route->data();
  packet.src = message.src;
  packet.dst = message.dst;
  packet.flits = static_cast<std::uint32_t>(framing_.packet_flits(message.bytes, next_packet_));
  packet.tag = message.id;
  packet.created = now;
  packet.flit_time = message.flit_time;
  packet.index = static_cast<std::uint32_t>(next_packet_);
  packet.first_of_message = next_packet_ == 0;
  packet.last_of_message = next_packet_ + 1 == framing_.packets(message.bytes);
  ++next_packet_;
  return Answer::kPacket;
}

void Packetizer::packet_injected(const fabric::Packet& packet, Cycles now) {
  // A port requests a packet only after the previous packet has left, so this packet has index next_packet_ -
  // 1.
  if (next_packet_ == 1) on_head_injected(packet.tag, packet.head_injected);
  if (!packet.last_of_message) return;
  pop(now);
  next_packet_ = 0;
  on_tail_injected(packet.tag, now);
}

fabric::Injector::Pending Packetizer::next_message() {
  if (queued_ == 0) return {};
  return {&queue_[front_].message, queue_[front_].ready};
}

void Packetizer::message_injected(std::uint64_t message, Cycles now) {
  pop(now);
  on_tail_injected(message, now);
}

}  // namespace coppice::ni
