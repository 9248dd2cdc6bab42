#pragma once

#include <cstdint>
#include <vector>

#include "routing/assigner.h"

namespace coppice::routing {

// The fields of a RoCEv2 packet that switches hash. RoCEv2 uses UDP over IPv4 with destination port 4791.
struct FiveTuple {
  std::uint32_t src_address = 0;
  std::uint32_t dst_address = 0;
  std::uint16_t src_port = 0;
  std::uint16_t dst_port = 4791;
  std::uint8_t protocol = 17;
};

// The IPv4 address of an accelerator's NIC, in 10.0.0.0/8.
std::uint32_t nic_address(NodeId accelerator);

// RoCEv2 leaves the choice of the source port to the sender; implementations choose a port from 0xC000 to
// 0xFFFF per connection.
inline constexpr std::uint16_t kFirstSourcePort = 0xC000;

// The hash of a switch: CRC-32 (IEEE 802.3) over the switch's seed and the tuple's bytes in network order.
std::uint32_t hash_tuple(const FiveTuple& tuple, std::uint32_t seed);

// Equal-cost multipath: the source ToR hashes a flow's five-tuple to choose one of its live next hops, which
// are listed in ascending order. Every connection has one source port, chosen pseudo-randomly from `seed`, so
// a pair of accelerators always uses the same path.
class Ecmp final : public PathAssigner {
 public:
  explicit Ecmp(std::uint64_t seed) : seed_(seed) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

  // The tuple of the connection from `src` to `dst`.
  FiveTuple tuple(NodeId src, NodeId dst) const;
  // The spine that the switch of `src_tor` picks for a packet.
  int pick(const ClosLinks& links, int src_tor, int dst_tor, const FiveTuple& tuple) const;

 private:
  std::uint32_t switch_seed(int tor) const;
  static int pick_of(const std::vector<int>& hops, std::uint32_t hash);

  std::uint64_t seed_;
};

}  // namespace coppice::routing
