#include "routing/ecmp.h"

#include <array>

#include <boost/crc.hpp>

#include "base/random.h"

namespace coppice::routing {

std::uint32_t nic_address(NodeId accelerator) {
  return (std::uint32_t{10} << 24) + static_cast<std::uint32_t>(accelerator) + 1;
}

std::uint32_t hash_tuple(const FiveTuple& tuple, std::uint32_t seed) {
  std::array<std::uint8_t, 17> bytes{};
  std::size_t at = 0;
  const auto put = [&](std::uint32_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      bytes[at++] = static_cast<std::uint8_t>(value >> shift);
    }
  };
  put(seed, 4);
  put(tuple.src_address, 4);
  put(tuple.dst_address, 4);
  put(tuple.src_port, 2);
  put(tuple.dst_port, 2);
  put(tuple.protocol, 1);
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return static_cast<std::uint32_t>(crc.checksum());
}

std::uint32_t Ecmp::switch_seed(int tor) const {
  return static_cast<std::uint32_t>(Random(seed_, static_cast<std::uint64_t>(tor)).next());
}

FiveTuple Ecmp::tuple(NodeId src, NodeId dst) const {
  constexpr std::uint64_t kPorts = 0x10000 - kFirstSourcePort;
  const std::uint64_t pair = static_cast<std::uint64_t>(src) << 32 | static_cast<std::uint32_t>(dst);
  Random random(seed_ ^ 0x5bd1e995, pair);
  return {.src_address = nic_address(src),
          .dst_address = nic_address(dst),
          .src_port = static_cast<std::uint16_t>(kFirstSourcePort + random.below(kPorts))};
}

// Multiplies instead of computing a remainder, so that the upper bits of the hash determine the result: the
// low bits of a CRC depend on only a few bits of the tuple.
int Ecmp::pick_of(const std::vector<int>& hops, std::uint32_t hash) {
  return hops[static_cast<std::size_t>((std::uint64_t{hash} * hops.size()) >> 32)];
}

int Ecmp::pick(const ClosLinks& links, int src_tor, int dst_tor, const FiveTuple& tuple) const {
  const std::vector<int> hops = links.live_spines(src_tor, dst_tor);
  if (hops.empty()) return kNoSpine;
  return pick_of(hops, hash_tuple(tuple, switch_seed(src_tor)));
}

Assignment Ecmp::assign(const ClosLinks& links, std::span<const Flow> flows) {
  require_routable(links, flows);
  Assignment spines(flows.size(), kNoSpine);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (!flow.local()) spines[i] = pick(links, flow.src_tor, flow.dst_tor, tuple(flow.src, flow.dst));
  }
  return spines;
}

}  // namespace coppice::routing
