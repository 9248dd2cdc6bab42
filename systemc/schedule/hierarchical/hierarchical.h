#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// A collective over the dimensions of a hierarchy (Themis, Sec. 2.3): the data is cut into chunks that move
// through the dimensions in a pipeline, chunk c according to plans[c], with the algorithm of each dimension
// (DimensionAlgorithm) and in the order of order_turns(). Chunk c is flow c.
//
// Every accelerator's share of a chunk is one piece. Pieces differ by at most one element, and messages are
// padded to the longest of their step, so that all accelerators keep in step. The index of an accelerator's
// piece is x_1 P/p_1 + x_2 P/(p_1 p_2) + ..., with x_i its coordinate in the i-th dimension of the chunk's
// order, p_i the dimension's size and P the number of accelerators. If an all-gather visits the dimensions in
// the reverse order of its reduce-scatter, the pieces that an accelerator holds are contiguous. In any other
// order they form several contiguous runs, separated by pieces that have not been gathered yet
// (ProgramStage::runs), and the accelerator sends one message per run.
//
// Reducing switches (ChunkProgram) have their own tables and may have any size. Messages to and from them
// take the same time for all accelerators except for the rounding to flits; if a difference of one flit makes
// messages collide, the network is not free of contention (CheckReport). If a dimension runs both phases
// together, an accelerator sends its data only once. Otherwise each phase takes two messages in sequence,
// since a switch sends a sum only when it has all contributions.
//
// Throws UnsupportedError for other topologies, for a switch that does not reduce and whose size is not a
// power of two, for more chunks than the data has elements, and, if switches reduce, for an all-gather whose
// order is not the reverse of the reduce-scatter's.
Schedule compile_plans(const topology::Topology& topology, const CompileRequest& request,
                       const std::string& algorithm, std::span<const ChunkPlan> plans, IntraDimension policy);

// Compiles the plans of plan_chunks(), which follow CompileRequest::chunk_policy, into tables.
class HierarchicalCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
