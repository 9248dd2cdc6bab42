#pragma once

#include <span>
#include <string>

#include "schedule/all_to_all/torus_exchange.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// A way to exchange blocks all-to-all, by its name in configurations.
struct AllToAllAlgorithm {
  std::string name;
  std::string summary;  // one line; empty if a compiler of other collectives has the same name
  // The messages of all accelerators together, each of a whole block.
  double (*messages)(const topology::Topology& topology);
  // Exchanges blocks of `elements` elements. Throws UnsupportedError if the network is unsuitable.
  BlockExchange (*exchange)(const topology::Topology& topology, Bytes elements);
  bool in_libraries = false;  // NCCL's may be it: a message for every pair, step by step
};

// All of them, which the registry (schedule/registry.h) holds by their names: direct, n - 1 steps, in step s
// with the accelerator s further on; at_once, the same without steps, all ports busy from the start;
// pairwise, with the one whose number differs in the bits of s, for a power of two; ring, from neighbour to
// neighbour in the order of the network's ring, the shorter way around; hierarchical, dimension by dimension;
// balanced, from neighbour to neighbour of a torus or mesh with all channels alike loaded
// (balanced_exchange.h).
std::span<const AllToAllAlgorithm> all_to_all_algorithms();

// The tables of one algorithm. request.size is the size of all blocks, n^2 for n accelerators, (i, j) at (i n
// + j) times the length of a block; the flows of a block are consecutive. Throws UnsupportedError.
Schedule compile_all_to_all(const topology::Topology& topology, const CompileRequest& request,
                            const AllToAllAlgorithm& algorithm);

}  // namespace coppice::schedule
