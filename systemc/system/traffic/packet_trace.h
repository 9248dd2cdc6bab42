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
  Cycles at = 0;  // not before this cycle
  int flits = 1;
  int waits_for = 0;                  // packets that must have arrived before
  std::vector<std::size_t> releases;  // indices of the packets that wait for this one
};

// Reads a trace as Netrace prints its packets: in every line ID:, CYC:, SRC:, DST:, and NDEP: with as many
// numbers of packets behind it, which are sent after this one has arrived. Its flits are those of FLITS:,
// else those that hold the bytes of its TYP: (8, or 72 with a cache line), else `packet_flits`. ADR: is
// ignored, as are empty lines and those that begin with #; without ID: a line is a packet that none waits
// for. Throws ConfigError at the line: unreadable, a word of another form, an accelerator or a packet that
// does not exist, packets that wait for each other.
std::vector<TracePacket> read_packet_trace(const std::string& path, int accelerators, Bytes flit,
                                           int packet_flits);

// Reads a line "source target" for every accelerator; # begins a comment. Two sources may have one target.
// Throws ConfigError at the line.
std::vector<topology::NodeId> read_permutation(const std::string& path, int accelerators);

}  // namespace coppice::system
