#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// Cuts the trees' shares into pieces: [piece * trees + tree]. The pieces of a tree are contiguous. All but
// the last consist of whole flits and have the same length. If the number of pieces is given and the cost is
// negligible, the last piece also has this length, except on the last tree. With several owners, each owns
// the same number of consecutive trees; otherwise all trees share all the data.
std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int trees, int pieces, int owners);

// The number of accelerators that own separate shares in the request's collective; 1 if all trees share all
// the data.
int owners_of(const topology::Topology& topology, const CompileRequest& request);

// Builds tables with the messages in their order. A message without a timestep gets the first one after its
// dependencies and its port's previous message.
Schedule build_piece_tables(const topology::Topology& topology, const CompileRequest& request,
                            const std::string& algorithm, std::span<const PackedTree> trees,
                            std::span<const Chunk> flows, const PieceSchedule& order);

}  // namespace coppice::schedule
