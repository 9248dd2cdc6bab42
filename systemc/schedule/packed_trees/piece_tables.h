#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// Cuts the trees' shares into pieces: [piece * trees + tree]. The pieces of a tree are contiguous, and all
// but the last consist of whole flits and have the same length. If the number of pieces is given, the last
// piece also has this length, except on the last tree, if that hardly lengthens the shares. If several
// accelerators own the data, each owns the same number of consecutive trees; otherwise all trees share all
// the data.
std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int trees, int pieces, int owners);

// The number of accelerators that own separate shares in the request's collective; 1 if all trees share all
// the data.
int owners_of(const topology::Topology& topology, const CompileRequest& request);

// Builds tables in which messages follow `order`. A message without a timestep is assigned the first timestep
// after its dependencies and after the previous message of its port.
Schedule build_piece_tables(const topology::Topology& topology, const CompileRequest& request,
                            const std::string& algorithm, std::span<const PackedTree> trees,
                            std::span<const Chunk> flows, const PieceSchedule& order);

}  // namespace coppice::schedule
