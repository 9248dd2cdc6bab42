#include "schedule/tables/program_tables.h"

#include <algorithm>
#include <numeric>

namespace coppice::schedule {

Translations ProgramTables::moves_of(const topology::Hierarchy& hierarchy, int accelerators,
                                     std::span<const DimensionAlgorithm> algorithms) {
  std::vector<int> widths;
  std::vector<bool> flips;
  for (const topology::Hierarchy::Dimension& dimension : hierarchy.dimensions()) {
    widths.push_back(dimension.size);
  }
  for (const DimensionAlgorithm& algorithm : algorithms) flips.push_back(algorithm.exchanges());
  const bool too_wide =
      std::ranges::any_of(widths, [](int width) { return width > Translations::kMostWide; });
  if (widths.size() > Translations::kMostDimensions || too_wide) return {{1}, {0}};
  std::vector<NodeId> nodes(static_cast<std::size_t>(accelerators));
  std::iota(nodes.begin(), nodes.end(), 0);
  return {widths, std::move(nodes), flips};
}

void ProgramTables::read_message(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const {
  const auto [chunk_number, message] = spec_.slots[slot][i];
  const PlacedChunk& chunk = spec_.chunks[static_cast<std::size_t>(chunk_number)];
  const ChunkProgram::Step& step = chunk.program->step_of(message);
  const ChunkProgram::Move& move = chunk.program->move(node, message);
  entry.op = step.op();
  entry.flow = chunk_number;
  entry.step = static_cast<std::int32_t>(i) + 1;
  entry.dependencies = step.dependencies;
  entry.arrival = chunk.program->arrival(node, message);
  entry.address = chunk.address + chunk.sizes->bounds[static_cast<std::size_t>(move.pieces.first)];
  entry.bytes = chunk.sizes->bytes(move.pieces);
  // Messages to and from switches differ from accelerator to accelerator, and none waits for another's.
  const Bytes longest = step.leg == ChunkProgram::Leg::kAcross
                            ? chunk.sizes->longest[static_cast<std::size_t>(message)]
                            : entry.bytes;
  entry.padding = static_cast<std::int32_t>(longest - entry.bytes);
  entry.route = move.route;
  const bool reduces = entry.op == Op::kReduce;
  entry.parent = reduces ? move.dst : topology::kNoNode;
  entry.children.resize(reduces ? 0 : 1);
  if (!reduces) entry.children.front() = move.dst;
}

void ProgramTables::read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const {
  read_message(slot, i, node, entry);
  const auto [chunk, message] = spec_.slots[slot][i];
  const ChunkProgram& program = *spec_.chunks[static_cast<std::size_t>(chunk)].program;
  const auto family = program.family(program.move(node, message));
  if (entry.op == Op::kReduce) {
    entry.children.assign(family.begin(), family.end());
  } else if (!family.empty()) {
    entry.parent = family.front();
  }
}

// Few of many turns.
std::vector<std::int32_t> ProgramTables::routes(std::size_t slot, NodeId node) const {
  std::vector<std::int32_t> routes;
  std::int32_t last = -1;
  for (const auto& [chunk, message] : spec_.slots[slot]) {
    const ChunkProgram& program = *spec_.chunks[static_cast<std::size_t>(chunk)].program;
    const std::int32_t route = program.move(node, message).route;
    if (route == last) continue;
    last = route;
    if (std::ranges::find(routes, route) == routes.end()) routes.push_back(route);
  }
  return routes;
}

}  // namespace coppice::schedule
