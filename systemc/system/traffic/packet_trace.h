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
  Cycles at = 0;  // the earliest cycle in which it may be sent
  int flits = 1;
  int waits_for = 0;                  // the number of packets that must arrive before it is sent
  std::vector<std::size_t> releases;  // indices of the packets that wait for this one
};

// Reads a packet trace in the format that Netrace prints. Every line has CYC:, SRC: and DST:, optionally ID:,
// and optionally NDEP: with a count, followed by the IDs of that many packets, which are sent only after this
// packet has arrived. FLITS: sets the packet's length in flits; without it, the type TYP: implies 8 bytes, or
// 72 with a cache line; without either, the length is `packet_flits`. ADR:, empty lines and lines that begin
// with # are ignored. Throws ConfigError, at the line if possible, if the file is unreadable, a word is
// malformed, an accelerator or packet does not exist, or packets wait for each other.
std::vector<TracePacket> read_packet_trace(const std::string& path, int accelerators, Bytes flit,
                                           int packet_flits);

// Reads a file with one line "source target" for every accelerator, where # begins a comment. Several sources
// may have the same target. Throws ConfigError at the line.
std::vector<topology::NodeId> read_permutation(const std::string& path, int accelerators);

}  // namespace coppice::system
