#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/flits/repeating.h"
#include "fabric/framing.h"

namespace coppice::ni {

// Reassembles messages at a port. A message has arrived when all of its packets have arrived, in any order
// across virtual channels.
class Depacketizer final : public fabric::Ejector, public fabric::Repeating {
 public:
  struct Size {
    std::int64_t packets;
    std::int64_t flits;
  };
  // `size_of(message ID)` must return the size of a message; in hardware, the head carries the size.
  Depacketizer(std::function<Size(std::uint64_t)> size_of,
               std::function<void(std::uint64_t, Cycles)> on_message)
      : size_of_(std::move(size_of)), on_message_(std::move(on_message)) {}

  // If set, it is called when the first flit of a message arrives.
  std::function<void(std::uint64_t)> on_head;
  void expect(const fabric::Packet& packet) override {
    if (on_head) on_head(packet.tag);
  }

  void packet_ejected(const fabric::Packet& packet, Cycles now) override {
    auto it = missing_.find(packet.tag);
    if (it == missing_.end()) {
      const std::int64_t packets = size_of_(packet.tag).packets;
      if (packets == 1) {
        on_message_(packet.tag, now);
        return;
      }
      it = missing_.emplace(packet.tag, packets).first;
    }
    if (--it->second > 0) return;
    missing_.erase(it);
    on_message_(packet.tag, now);
  }

  // If set before the fabric is connected, it is called for every flit.
  std::function<void(const fabric::Packet&, fabric::Flit, Cycles)> on_flit;
  bool transports_flits() const override { return static_cast<bool>(on_flit); }
  void flit_ejected(const fabric::Packet& packet, fabric::Flit flit, Cycles now) override {
    on_flit(packet, flit, now);
  }

  std::int64_t message_ejected(std::uint64_t message, Cycles now) override {
    const std::int64_t flits = size_of_(message).flits;
    on_message_(message, now);
    return flits;
  }

  void visit(fabric::StateRecorder& recorder) override { visit_all(recorder); }
  void visit(fabric::StateShifter& shifter) override { visit_all(shifter); }

  // The number of messages that have arrived only in part.
  std::size_t incomplete() const { return missing_.size(); }

 private:
  template <typename Visitor>
  void visit_all(Visitor& visitor) {
    std::vector<std::uint64_t> messages;
    for (const auto& [message, missing] : missing_) messages.push_back(message);
    std::sort(messages.begin(), messages.end());
    visitor.value(messages.size());
    for (const std::uint64_t message : messages) {
      visitor.value(message);
      visitor.counter(missing_.at(message));
    }
  }

  std::function<Size(std::uint64_t)> size_of_;
  std::function<void(std::uint64_t, Cycles)> on_message_;
  // [message ID]: number of packets that have not arrived.
  std::unordered_map<std::uint64_t, std::int64_t> missing_;
};

}  // namespace coppice::ni
