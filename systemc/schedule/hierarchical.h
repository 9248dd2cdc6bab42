#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compiler.h"

namespace coppice::schedule {

// The dimensions of a hierarchy in the order in which a chunk is reduce-scattered over them; its all-gather
// goes back the same way.
using DimensionOrder = std::vector<std::size_t>;

// Which of the operations that wait for a dimension goes first (Themis, Sec. 4.3).
enum class IntraDimension { kFifo, kSmallestChunkFirst };

// A collective composed over the dimensions of a hierarchy (Themis, Sec. 2.3): the data is cut into chunks
// that move through the dimensions in a pipeline, chunk c over orders[c], by the algorithm of each dimension
// (DimensionAlgorithm) and in the turns that order_turns() finds. Chunk c is flow c.
//
// Of a chunk, every accelerator's share is one piece; pieces differ by one element at most, and messages are
// padded to the longest of their step, so that all accelerators keep in step. Every accelerator holds each
// chunk's piece number x_1 P/p_1 + x_2 P/(p_1 p_2) + ..., x_i its coordinate in the i-th dimension of the
// chunk's order and P the number of accelerators.
//
// Throws UnsupportedError for other topologies, for a switch whose size is no power of two, and for more
// chunks than the data has elements for.
Schedule compile_in_orders(const topology::Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, std::span<const DimensionOrder> orders,
                           IntraDimension policy);

// How many pieces each chunk is cut into: one per accelerator, or one per accelerator and way around where
// some dimension is a ring. Every piece has an element at least.
Bytes pieces_of_a_chunk(int accelerators, bool rings);

// The baseline (Themis, Sec. 2.3): CompileRequest::chunks chunks, all reduce-scattered over dimension 0, 1,
// ..., first come first served in every dimension.
class HierarchicalCompiler final : public Compiler {
 public:
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
