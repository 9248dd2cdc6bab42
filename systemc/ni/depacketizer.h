#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "fabric/fabric.h"
#include "fabric/framing.h"

namespace coppice::ni {

// Puts packets back together at a port: a message has arrived when all its packets have, in whatever order
// virtual channels delivered them.
class Depacketizer final : public fabric::Ejector {
 public:
  // `packets_of(message id)` tells how many packets a message has (its head carries the length).
  Depacketizer(std::function<std::int64_t(std::uint64_t)> packets_of,
               std::function<void(std::uint64_t, Cycles)> on_message)
      : packets_of_(std::move(packets_of)), on_message_(std::move(on_message)) {}

  void packet_ejected(const fabric::Packet& packet, Cycles now) override {
    const auto [it, first] = missing_.try_emplace(packet.tag, 0);
    if (first) it->second = packets_of_(packet.tag);
    if (--it->second > 0) return;
    missing_.erase(it);
    on_message_(packet.tag, now);
  }

  // Messages of which some packets have arrived and some have not.
  std::size_t incomplete() const { return missing_.size(); }

 private:
  std::function<std::int64_t(std::uint64_t)> packets_of_;
  std::function<void(std::uint64_t, Cycles)> on_message_;
  std::unordered_map<std::uint64_t, std::int64_t> missing_;  // message -> packets still to come
};

}  // namespace coppice::ni
