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
  Cycles at = 0;  // the earliest cycle
  int flits = 1;
  int waits_for = 0;                  // number of packets that must have arrived before
  std::vector<std::size_t> releases;  // indices of the packets that wait for this one
};

// Reads a trace in the form in which Netrace prints its packets: every line has ID:, CYC:, SRC:, DST:, and
// NDEP: followed by that many numbers of packets, which are sent after this one has arrived. The number of
// flits is that of FLITS:, otherwise as many as hold the bytes of its TYP: (8, or 72 with a cache line),
// otherwise `packet_flits`. ADR: is ignored, as are empty lines and lines that begin with #; a line without
// ID: is a packet for which no other waits. Throws ConfigError at the line: unreadable, a word of another
// form, an accelerator or a packet that does not exist, or packets that wait for each other.
std::vector<TracePacket> read_packet_trace(const std::string& path, int accelerators, Bytes flit,
                                           int packet_flits);

// Reads a line "source target" for every accelerator; # begins a comment. Two sources may have the same
// target. Throws ConfigError at the line.
std::vector<topology::NodeId> read_permutation(const std::string& path, int accelerators);

}  // namespace coppice::system
