#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::system {

// The destinations of packets; patterns.h defines each pattern.
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

// An accelerator that receives a fraction of all packets: `weight` divided by the sum of all weights.
struct Hotspot {
  topology::NodeId node = 0;
  int weight = 1;
};

// Sources that are on or off. In every cycle, a source turns on with probability `begin` and off with
// probability `end`; while on, it creates packets at a rate that results in the configured average.
struct Bursts {
  double begin = 0.5;
  double end = 0.5;
};

// Every packet of a source is a request, to which its destination replies upon arrival.
struct RequestReply {
  double writes = 0.5;  // fraction of the requests
  // Lengths of the four packets, in flits.
  int read_request = 1;
  int read_reply = 1;
  int write_request = 1;
  int write_reply = 1;

  // The mean number of flits of a request plus its reply.
  double mean_flits() const {
    return (1 - writes) * (read_request + read_reply) + writes * (write_request + write_reply);
  }
};

// Synthetic traffic: injection into unbounded source queues, by a Bernoulli process or in bursts; or the
// packets of a trace.
struct TrafficOptions {
  Pattern pattern = Pattern::kUniform;
  double rate = 0.1;  // flits per node per cycle, including requests and replies
  int packet_flits = 1;
  Cycles warmup = 10'000;
  Cycles measure = 50'000;
  std::vector<Hotspot> hotspots{};  // for pattern hotspot
  std::string permutation{};        // for pattern permutation: a file (packet_trace.h)
  std::optional<Bursts> bursts = std::nullopt;
  std::optional<RequestReply> request_reply = std::nullopt;
  std::string trace{};  // a file (packet_trace.h); if set, only packet_flits of the above applies
};

// Returns the pattern with this name; throws a std::invalid_argument that lists the known ones.
Pattern parse_pattern(const std::string& name);

}  // namespace coppice::system
