#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// A collective over the dimensions of a hierarchy (Themis, Sec. 2.3): the data is cut into chunks that move
// through the dimensions in a pipeline, chunk c as given by plans[c], by the algorithm of each dimension
// (DimensionAlgorithm) and in the order found by order_turns(). Chunk c is flow c.
//
// Every accelerator's share of a chunk is one piece; pieces differ by one element at most, and messages are
// padded to the longest of their step, so that all accelerators keep in step. Every accelerator holds each
// chunk's piece number x_1 P/p_1 + x_2 P/(p_1 p_2) + ..., x_i its coordinate in the i-th dimension of the
// chunk's order and P the number of accelerators. An all-gather that goes back the way of its reduce-scatter
// finds the pieces that an accelerator holds side by side. One that goes another way finds them in several
// places between pieces that are not gathered yet (ProgramStage::runs), and sends as many messages.
//
// Switches that add (ChunkProgram) have their own tables and may have any size. Messages that go up or
// come down take as long for all accelerators but for the rounding to flits: networks on which a flit more or
// less makes trains meet are not free of contention (CheckReport). Both phases together, an accelerator sends
// what it holds once. It waits for two messages one after the other in each: a switch sends what it has added
// when all of it is there.
//
// Throws UnsupportedError for other topologies, for a switch that does not add and whose size is no power of
// two, for more chunks than the data has elements for, and for a chunk that does not go back where switches
// add.
Schedule compile_plans(const topology::Topology& topology, const CompileRequest& request,
                       const std::string& algorithm, std::span<const ChunkPlan> plans, IntraDimension policy);

// The chunks of plan_chunks() as tables, by CompileRequest::chunk_policy.
class HierarchicalCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
