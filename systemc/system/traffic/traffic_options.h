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

// An accelerator that gets `weight` of every sum-of-weights packets.
struct Hotspot {
  topology::NodeId node = 0;
  int weight = 1;
};

// Sources that are on or off: in every cycle one that is off begins with probability `begin`, one that is on
// ends with probability `end`; while it is on it creates packets so often that the rate is met on the mean.
struct Bursts {
  double begin = 0.5;
  double end = 0.5;
};

// Every packet of a source is a request, which its destination answers as soon as it has arrived.
struct RequestReply {
  double writes = 0.5;  // part of the requests
  // Flits of the four packets.
  int read_request = 1;
  int read_reply = 1;
  int write_request = 1;
  int write_reply = 1;

  // Flits of a request and its reply, on the mean.
  double mean_flits() const {
    return (1 - writes) * (read_request + read_reply) + writes * (write_request + write_reply);
  }
};

// Synthetic traffic: injection into unbounded source queues, Bernoulli unless there are bursts; or the
// packets of a trace.
struct TrafficOptions {
  Pattern pattern = Pattern::kUniform;
  double rate = 0.1;  // flits per node and cycle; of requests and replies together
  int packet_flits = 1;
  Cycles warmup = 10'000;
  Cycles measure = 50'000;
  std::vector<Hotspot> hotspots{};  // of pattern hotspot
  std::string permutation{};        // of pattern permutation: a file (permutation_file.h)
  std::optional<Bursts> bursts = std::nullopt;
  std::optional<RequestReply> request_reply = std::nullopt;
  std::string trace{};  // a file (packet_trace.h); then only packet_flits counts of the above
};

// The pattern of that name; throws std::invalid_argument naming the known ones.
Pattern parse_pattern(const std::string& name);

}  // namespace coppice::system
