#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The shares of trees cut into pieces: flow piece * trees + tree. A tree's pieces are contiguous in its
// share. All have whole flits and one length except the last; if the number of pieces is given and it costs
// next to nothing, the last is as long as well, except on the last tree. With several owners, the trees are
// theirs in order, equally many each; otherwise all trees share all the data.
std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int trees, int pieces, int owners);

// The number of accelerators that own a share each in a request's collective; 1 if all the data is split
// among the trees.
int owners_of(const topology::Topology& topology, const CompileRequest& request);

// The tables of the messages in their order; each message goes in the first timestep after its dependencies
// and its port's previous message.
Schedule build_piece_tables(const topology::Topology& topology, const CompileRequest& request,
                            const std::string& algorithm, std::span<const PackedTree> trees,
                            std::span<const Chunk> flows, const PieceSchedule& order);

}  // namespace coppice::schedule
