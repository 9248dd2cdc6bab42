#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::system {

// A packet of a trace.
struct TracePacket {
  topology::NodeId src = 0;
  topology::NodeId dst = 0;
  Cycles at = 0;  // earliest cycle in which it may be sent
  int flits = 1;
  int waits_for = 0;                  // number of packets that must have arrived before it
  std::vector<std::size_t> releases;  // indices of the packets that wait for this one
};

// Reads a packet trace in the format that Netrace prints. Every line has CYC:, SRC:, DST:, optionally ID:,
// and optionally NDEP: with a count, followed by the IDs of that many packets, which are sent after this one
// has arrived. A packet's length in flits is given by FLITS:; without it, by the bytes of the TYP: (8, or 72
// with a cache line); without either, by `packet_flits`. ADR:, empty lines and lines that begin with # are
// ignored. Throws ConfigError, at the line if possible, if the file is unreadable, a word is malformed, an
// accelerator or packet does not exist, or packets wait for each other.
std::vector<TracePacket> read_packet_trace(const std::string& path, int accelerators, Bytes flit,
                                           int packet_flits);

// Reads a file with a line "source target" for every accelerator; # begins a comment. Several sources may
// have the same target. Throws ConfigError at the line.
std::vector<topology::NodeId> read_permutation(const std::string& path, int accelerators);

}  // namespace coppice::system
