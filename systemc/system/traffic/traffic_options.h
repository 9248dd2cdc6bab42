#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::system {

// How packets' destinations are chosen; patterns.h defines each pattern.
enum class Pattern {
  kUniform,
  kTranspose,
  kBitcomp,
  kTornado,
  kNeighbor,
  kBitrev,
  kShuffle,
  kRandperm,
  kDiagonal,
  kAsymmetric,
  kNextGroup,
  kHotspot,
  kPermutation,
};

// An accelerator that receives a fraction of all packets. The fraction is `weight` divided by the sum of all
// weights.
struct Hotspot {
  topology::NodeId node = 0;
  int weight = 1;
};

// Sources that switch between on and off. In every cycle, a source turns on with probability `begin`, or off
// with probability `end`. While on, it creates packets at the rate that results in the configured average.
struct Bursts {
  double begin = 0.5;
  double end = 0.5;
};

// Sources send only requests, and the destination of a request sends a reply when it arrives.
struct RequestReply {
  double writes = 0.5;  // the fraction of requests that are writes
  // Lengths of packets, in flits.
  int read_request = 1;
  int read_reply = 1;
  int write_request = 1;
  int write_reply = 1;

  // The mean number of flits of a request and its reply together.
  double mean_flits() const {
    return (1 - writes) * (read_request + read_reply) + writes * (write_request + write_reply);
  }
};

// Synthetic traffic. Packets are injected into unlimited source queues, by a Bernoulli process or in bursts,
// or come from a trace.
struct TrafficOptions {
  Pattern pattern = Pattern::kUniform;
  double rate = 0.1;  // in flits per node per cycle, including requests and replies
  int packet_flits = 1;
  Cycles warmup = 10'000;
  Cycles measure = 50'000;
  std::vector<Hotspot> hotspots{};  // for the pattern `hotspot`
  std::string permutation{};        // for the pattern `permutation`: file name (packet_trace.h)
  std::optional<Bursts> bursts = std::nullopt;
  std::optional<RequestReply> request_reply = std::nullopt;
  std::string trace{};  // file name (packet_trace.h); if set, only packet_flits of the members above is used
};

// Returns the pattern named `name`. Throws a std::invalid_argument that lists the known patterns.
Pattern parse_pattern(const std::string& name);

}  // namespace coppice::system
