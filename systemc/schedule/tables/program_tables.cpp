#include "schedule/tables/program_tables.h"

#include <algorithm>
#include <numeric>
#include <tuple>

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

const ProgramTables* ProgramTables::of_all(const Schedule& schedule) {
  if (schedule.nodes.empty() || schedule.nodes.front().ports.empty()) return nullptr;
  const auto* tables = dynamic_cast<const ProgramTables*>(schedule.nodes.front().ports.front().source());
  if (tables == nullptr || tables->moves().nodes() != schedule.nodes.size()) return nullptr;
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    const auto& ports = schedule.nodes[node].ports;
    if (ports.size() != tables->slots()) return nullptr;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const bool own = ports[port].source() == tables && ports[port].slot() == port &&
                       ports[port].node() == static_cast<NodeId>(node);
      if (!own) return nullptr;
    }
  }
  return tables;
}

std::vector<ProgramTables::AlikeTurns> ProgramTables::alike_turns() const {
  using Kind = std::tuple<const ChunkProgram*, const MessageSizes*, std::int32_t>;
  std::map<Kind, AlikeTurns> found;
  for (const auto& slot : spec_.slots) {
    for (std::size_t i = 0; i < slot.size(); ++i) {
      const PlacedChunk& chunk = spec_.chunks[static_cast<std::size_t>(slot[i].chunk)];
      AlikeTurns& alike = found[{chunk.program, chunk.sizes, slot[i].message}];
      const PlacedChunk& last = spec_.chunks[static_cast<std::size_t>(alike.turn.chunk)];
      if (alike.count == 0 || chunk.address > last.address) alike.turn = slot[i];
      alike.step = std::max(alike.step, static_cast<std::int32_t>(i) + 1);
      ++alike.count;
    }
  }
  std::vector<AlikeTurns> turns;
  for (const auto& [kind, alike] : found) turns.push_back(alike);
  return turns;
}

void ProgramTables::read_turn(Turn turn, NodeId node, TableEntry& entry) const {
  const auto [chunk_number, message] = turn;
  const PlacedChunk& chunk = spec_.chunks[static_cast<std::size_t>(chunk_number)];
  const ChunkProgram::Step& step = chunk.program->step_of(message);
  const ChunkProgram::Move& move = chunk.program->move(node, message);
  entry.op = step.op();
  entry.flow = chunk_number;
  entry.dependencies = step.dependencies;
  entry.arrival = chunk.program->arrival(node, message);
  entry.address = chunk.address + chunk.sizes->bounds[static_cast<std::size_t>(move.pieces.first)];
  entry.bytes = chunk.sizes->bytes(move.pieces);
  // Messages to and from switches are not padded: their lengths differ between accelerators, but none of them
  // waits for another accelerator's message.
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
  const auto family = families_of(program).of(node, message);
  if (entry.op == Op::kReduce) {
    entry.children.assign(family.begin(), family.end());
  } else if (!family.empty()) {
    entry.parent = family.front();
  }
}

void ProgramTables::read_images(std::size_t slot, std::size_t i, std::vector<Image>& into) const {
  const auto [chunk_number, message] = spec_.slots[slot][i];
  const PlacedChunk& chunk = spec_.chunks[static_cast<std::size_t>(chunk_number)];
  into.clear();
  for (const ChunkProgram::Move& move : chunk.program->moves(message)) {
    into.push_back(
        {.address = chunk.address + chunk.sizes->bounds[static_cast<std::size_t>(move.pieces.first)],
         .bytes = chunk.sizes->bytes(move.pieces),
         .dst = move.dst});
  }
}

const MessageFamilies& ProgramTables::families_of(const ChunkProgram& program) const {
  const std::lock_guard lock(families_mutex_);
  return families_.try_emplace(&program, program).first->second;
}

// A slot has many turns but few routes, so a linear search suffices.
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
