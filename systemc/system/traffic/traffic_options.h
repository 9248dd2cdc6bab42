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

// An accelerator that receives a fraction of all packets: `weight` over the sum of weights.
struct Hotspot {
  topology::NodeId node = 0;
  int weight = 1;
};

// Sources that are on or off: in every cycle a source that is off begins with probability `begin`, and one
// that is on ends with probability `end`; while on, it creates packets at the rate that gives the configured
// average.
struct Bursts {
  double begin = 0.5;
  double end = 0.5;
};

// Every packet of a source is a request, which its destination answers as soon as it has arrived.
struct RequestReply {
  double writes = 0.5;  // fraction of the requests
  // Lengths of the four packets, in flits.
  int read_request = 1;
  int read_reply = 1;
  int write_request = 1;
  int write_reply = 1;

  // The mean number of flits of a request and its reply.
  double mean_flits() const {
    return (1 - writes) * (read_request + read_reply) + writes * (write_request + write_reply);
  }
};

// Synthetic traffic: injection into unbounded source queues, Bernoulli unless there are bursts; or the
// packets of a trace.
struct TrafficOptions {
  Pattern pattern = Pattern::kUniform;
  double rate = 0.1;  // flits per node and cycle, requests and replies together
  int packet_flits = 1;
  Cycles warmup = 10'000;
  Cycles measure = 50'000;
  std::vector<Hotspot> hotspots{};  // for pattern hotspot
  std::string permutation{};        // for pattern permutation: a file (permutation_file.h)
  std::optional<Bursts> bursts = std::nullopt;
  std::optional<RequestReply> request_reply = std::nullopt;
  std::string trace{};  // a file (packet_trace.h); of the settings above, only packet_flits then counts
};

// The pattern with this name; throws std::invalid_argument naming the known ones.
Pattern parse_pattern(const std::string& name);

}  // namespace coppice::system
