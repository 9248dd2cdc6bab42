#pragma once

#include <span>
#include <string>

#include "schedule/all_to_all/torus_exchange.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// An all-to-all algorithm and its name in configurations.
struct AllToAllAlgorithm {
  std::string name;
  std::string summary;  // one line; empty if a compiler of the same name already has a summary
  // Returns the total number of messages that all accelerators send if each message carries one whole block.
  double (*messages)(const topology::Topology& topology);
  // Plans the exchange of blocks of `elements` elements. Throws UnsupportedError if the algorithm does not
  // support the network.
  BlockExchange (*exchange)(const topology::Topology& topology, Bytes elements);
  // Whether NCCL may use the algorithm. Such an algorithm sends one message per pair, step by step.
  bool in_libraries = false;
};

// Returns the all-to-all algorithms, which the registry (schedule/registry.h) lists by name:
//  - direct: has n - 1 steps; in step s, accelerator i sends to accelerator i + s (mod n).
//  - at_once: like direct but without steps, so that all ports are busy from the start.
//  - pairwise: in step s, accelerators i and i xor s exchange blocks; requires a power of two.
//  - ring: moves blocks from neighbour to neighbour along the network's ring, in the shorter direction.
//  - hierarchical: moves blocks dimension by dimension.
//  - pxn: between boxes, moves a block first to the accelerator in the sender's box that is on the receiver's
//    rail. This accelerator then forwards the block over its own rail (NCCL's PXN). Blocks for the nearest
//    boxes go first, and forwarding overlaps with collecting.
//  - balanced: moves blocks from neighbour to neighbour of a torus or mesh, with equal load on all channels
//    (balanced_exchange.h).
std::span<const AllToAllAlgorithm> all_to_all_algorithms();

// Compiles the tables of an all-to-all algorithm. request.size is the total size of the n^2 blocks of n
// accelerators. Block (i, j) starts at (i n + j) times the block size. The flows of a block are numbered
// consecutively. Throws UnsupportedError if the algorithm does not support the network.
Schedule compile_all_to_all(const topology::Topology& topology, const CompileRequest& request,
                            const AllToAllAlgorithm& algorithm);

}  // namespace coppice::schedule
