#pragma once

#include <span>
#include <string>

#include "schedule/all_to_all/torus_exchange.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// An algorithm that exchanges blocks all-to-all, under its name in configurations.
struct AllToAllAlgorithm {
  std::string name;
  std::string summary;  // one line; empty if a compiler of other collectives has the same name
  // Messages that all accelerators send together, one whole block each.
  double (*messages)(const topology::Topology& topology);
  // Exchanges blocks of `elements` elements. Throws UnsupportedError if the network is unsuitable.
  BlockExchange (*exchange)(const topology::Topology& topology, Bytes elements);
  bool in_libraries = false;  // NCCL may run this algorithm: one message for every pair, step by step
};

// All such algorithms, which the registry (schedule/registry.h) holds by name:
// - direct: n - 1 steps, in step s with the accelerator s further on;
// - at_once: direct without steps, all ports busy from the start;
// - pairwise: in step s with the accelerator whose number differs in the bits of s, for a power of two;
// - ring: from neighbour to neighbour in the order of the network's ring, the shorter way around;
// - hierarchical: dimension by dimension;
// - balanced: from neighbour to neighbour of a torus or mesh with equal load on all channels
//   (balanced_exchange.h).
std::span<const AllToAllAlgorithm> all_to_all_algorithms();

// The tables of one algorithm. request.size is the size of all blocks together: n^2 blocks for n
// accelerators, block (i, j) at (i n + j) times the length of a block. The flows of a block are consecutive.
// Throws UnsupportedError.
Schedule compile_all_to_all(const topology::Topology& topology, const CompileRequest& request,
                            const AllToAllAlgorithm& algorithm);

}  // namespace coppice::schedule
