#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The shares of trees in pieces: flow piece * trees + tree. A tree's pieces follow each other in its share,
// all of whole flits and alike except the last, and, where their number is given and it costs next to
// nothing, the last too except on the last tree. Where accelerators own shares, the trees are theirs in
// order, as many of each; else all trees share all the data.
std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int trees, int pieces, int owners);

// Accelerators that own a share each in a request's collective; 1 where all the data is shared out to trees.
int owners_of(const topology::Topology& topology, const CompileRequest& request);

// The tables of the messages in their order, each in the first timestep after its dependencies and its port's
// previous message.
Schedule build_piece_tables(const topology::Topology& topology, const CompileRequest& request,
                            const std::string& algorithm, std::span<const PackedTree> trees,
                            std::span<const Chunk> flows, const PieceSchedule& order);

}  // namespace coppice::schedule
