#include "schedule/packed_trees/piece_tables.h"

#include <algorithm>

#include "schedule/compile/table_builder.h"

namespace coppice::schedule {

std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int trees, int pieces) {
  const Bytes grain = request.timing.flit > request.element && request.timing.flit % request.element == 0
                          ? request.timing.flit
                          : request.element;
  const Bytes each = Bytes{trees} * pieces;
  Bytes piece = (request.size + each - 1) / each;
  piece = (piece + grain - 1) / grain * grain;
  // Rounding up must not leave the last pieces empty.
  if (piece * trees * (pieces - 1) >= request.size)
    piece = request.size / each / request.element * request.element;
  std::vector<Chunk> flows;
  Bytes address = 0;
  for (int p = 0; p + 1 < pieces; ++p) {
    for (int t = 0; t < trees; ++t, address += piece) flows.push_back({address, piece});
  }
  for (Chunk last : split_into_chunks(request.size - address, request.element, trees)) {
    last.address += address;
    flows.push_back(last);
  }
  return flows;
}

Schedule build_piece_tables(const topology::Topology& topology, const CompileRequest& request,
                            const std::string& algorithm, std::span<const PackedTree> trees,
                            std::span<const Chunk> flows, const PieceSchedule& order) {
  const std::size_t n = static_cast<std::size_t>(topology.num_accelerators());
  std::vector<ChannelPath> paths;
  std::vector<std::vector<std::int32_t>> path_of(trees.size());  // [tree][hop]; -1: a channel
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (const TreeHop& hop : trees[t].hops) {
      path_of[t].push_back(hop.path.size() > 1 ? static_cast<std::int32_t>(paths.size()) : -1);
      if (hop.path.size() > 1) paths.push_back(hop.path);
    }
  }
  std::vector<std::int32_t> port_step(n * static_cast<std::size_t>(request.ni_ports), 0);
  std::vector<std::int32_t> arrived(n * flows.size(), 0);  // [node * flows + flow]: the last arrival's step
  std::vector<Send> sends;
  sends.reserve(order.messages.size());
  for (const TimedPiece& message : order.messages) {
    const auto t = static_cast<std::size_t>(message.tree);
    const TreeHop& hop = trees[t].hops[static_cast<std::size_t>(message.hop)];
    const std::size_t flow = static_cast<std::size_t>(message.piece) * trees.size() + t;
    const int port = topology.channel(hop.path.front()).src_port % request.ni_ports;
    std::int32_t& last = port_step[static_cast<std::size_t>(hop.src * request.ni_ports + port)];
    std::int32_t& here = arrived[static_cast<std::size_t>(hop.src) * flows.size() + flow];
    std::int32_t& there = arrived[static_cast<std::size_t>(hop.dst) * flows.size() + flow];
    last = std::max(last, here) + 1;
    there = std::max(there, last);
    const std::int32_t path = path_of[t][static_cast<std::size_t>(message.hop)];
    sends.push_back({.op = hop.op,
                     .flow = static_cast<std::int32_t>(flow),
                     .src = hop.src,
                     .dst = hop.dst,
                     .step = last,
                     .channel = path < 0 ? hop.path.front() : -1,
                     .path = path});
  }
  return build_schedule(topology, request, algorithm, flows, sends, paths, IdleSteps::kNothing);
}

}  // namespace coppice::schedule
