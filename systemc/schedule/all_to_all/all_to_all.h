#pragma once

#include <span>
#include <string>

#include "schedule/all_to_all/torus_exchange.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// An all-to-all algorithm and its name in configurations.
struct AllToAllAlgorithm {
  std::string name;
  std::string summary;  // one line; empty if a compiler for other collectives also has this name
  // The total number of messages that all accelerators send, each carrying one whole block.
  double (*messages)(const topology::Topology& topology);
  // Exchanges blocks of `elements` elements. Throws UnsupportedError if the network is unsuitable.
  BlockExchange (*exchange)(const topology::Topology& topology, Bytes elements);
  bool in_libraries = false;  // whether NCCL may use it: one message per pair, step by step
};

// All all-to-all algorithms, which the registry (schedule/registry.h) lists by name:
// - direct: n - 1 steps; in step s, accelerator i sends to i + s (mod n);
// - at_once: like direct, but without steps: all ports are busy from the start;
// - pairwise: in step s, accelerators i and i xor s exchange blocks; for powers of two;
// - ring: from neighbour to neighbour along the network's ring, in the shorter direction;
// - hierarchical: dimension by dimension;
// - pxn: between boxes, first to the accelerator of the sender's box that is on the receiver's rail, which
//   forwards the block over its own rail (NCCL's PXN). Blocks for the nearest boxes go first, and forwarding
//   overlaps with collecting;
// - balanced: from neighbour to neighbour of a torus or mesh with equal load on all channels
//   (balanced_exchange.h).
std::span<const AllToAllAlgorithm> all_to_all_algorithms();

// The tables of one algorithm. request.size is the total size of the n^2 blocks of n accelerators; block (i,
// j) starts at (i n + j) times the block size. The flows of a block are consecutive. Throws UnsupportedError
// if the network is unsuitable.
Schedule compile_all_to_all(const topology::Topology& topology, const CompileRequest& request,
                            const AllToAllAlgorithm& algorithm);

}  // namespace coppice::schedule
