#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// Compiles a collective over the dimensions of a hierarchy (Themis, Sec. 2.3). The data is cut into chunks
// that move through the dimensions in a pipeline. Chunk c is flow c and follows plans[c]. In each dimension,
// it uses the dimension's algorithm (DimensionAlgorithm), and messages are sent in the order of
// order_turns(). In a dimension with several lanes (topology::Lane), chunks use the lanes in turn.
//
// The share of an accelerator in a chunk is one piece. The sizes of pieces differ by at most one element, and
// messages are padded to the longest message of their step, so that all accelerators keep in step. The index
// of an accelerator's piece is x_1 P/p_1 + x_2 P/(p_1 p_2) + ..., where x_i is its coordinate in the i-th
// dimension of the chunk's order, p_i is the size of this dimension, and P is the number of accelerators. If
// an all-gather visits the dimensions in the reverse order of its reduce-scatter, the pieces that an
// accelerator holds are contiguous. In any other order, they form several contiguous runs, separated by
// pieces that have not been gathered yet (ProgramStage::runs), and the accelerator sends one message per run.
//
// Reducing switches (ChunkProgram) have their own tables and may have any size. Messages to and from these
// switches take the same time for all accelerators, apart from rounding to flits. If a difference of one
// flit makes messages collide, the network is not free of contention (CheckReport). If a dimension runs both
// phases together, an accelerator sends its data only once. Otherwise, each phase takes two messages in
// sequence, because a switch sends a sum only when it has all contributions.
//
// Throws UnsupportedError for topologies that are not hierarchies, for halving and doubling in a switch whose
// size is not a power of two, for a chunk with fewer elements than pieces, and, if switches reduce, for an
// all-gather whose order is not the reverse of the reduce-scatter's order.
Schedule compile_plans(const topology::Topology& topology, const CompileRequest& request,
                       const std::string& algorithm, std::span<const ChunkPlan> plans, IntraDimension policy);

// Compiles the plans that plan_chunks() makes according to CompileRequest::chunk_policy.
class HierarchicalCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
