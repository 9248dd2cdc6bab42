#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "schedule/tables/chunk_program.h"
#include "schedule/tables/message_families.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::schedule {

// The tables of all accelerators of a hierarchy, as turns of messages of programs: what a schedule of many
// chunks takes in memory is that of its orders of dimensions. Chunk c is flow c; the entry of turn t is of
// step t + 1.
class ProgramTables final : public SymmetricTables {
 public:
  // The orders of dimensions that a chunk is reduce-scattered and all-gathered in.
  using ChunkWays = std::pair<DimensionOrder, DimensionOrder>;
  struct Turn {
    std::int32_t chunk = 0;
    std::int32_t message = 0;  // of the chunk's program
  };
  struct PlacedChunk {
    const ChunkProgram* program = nullptr;
    const MessageSizes* sizes = nullptr;
    Bytes address = 0;
  };
  struct Spec {
    std::map<ChunkWays, ChunkProgram> programs;
    std::map<std::pair<const ChunkProgram*, Bytes>, MessageSizes> sizes;
    std::vector<PlacedChunk> chunks;  // point to the above
    // A slot is the NI port of its number; behind those, where switches add, the port of a dimension's switch
    // that leads to the accelerator.
    std::vector<std::vector<Turn>> slots;
  };

  ProgramTables(Translations moves, Spec spec) : moves_(std::move(moves)), spec_(std::move(spec)) {}

  // The tables of a schedule if every accelerator has all of them as its own; nullptr if not.
  static const ProgramTables* of_all(const Schedule& schedule);

  // The accelerators' moves that keep the dimensions: round rings and fully connected groups, and bits that
  // flip where halving and doubling exchange. Of one accelerator if Translations take no such dimensions.
  static Translations moves_of(const topology::Hierarchy& hierarchy, int accelerators,
                               std::span<const DimensionAlgorithm> algorithms);

  const std::map<ChunkWays, ChunkProgram>& programs() const { return spec_.programs; }
  const std::map<std::pair<const ChunkProgram*, Bytes>, MessageSizes>& sizes() const { return spec_.sizes; }
  std::span<const PlacedChunk> chunks() const { return spec_.chunks; }
  std::span<const Turn> turns(std::size_t slot) const { return spec_.slots[slot]; }
  std::size_t slots() const { return spec_.slots.size(); }

  // Turns of a message of chunks that differ only in their position.
  struct AlikeTurns {
    Turn turn;               // of the chunk that lies last
    std::int32_t step = 0;   // the last of them
    std::int64_t count = 0;  // of an accelerator
  };
  std::vector<AlikeTurns> alike_turns() const;

  const Translations& moves() const override { return moves_; }
  // A chunk's messages are of its flow wherever they go.
  std::int32_t moved_back_flow(std::int32_t flow, NodeId /*from*/) const override { return flow; }
  std::size_t size(std::size_t slot) const override { return spec_.slots[slot].size(); }
  std::int64_t messages(std::size_t slot) const override {
    return static_cast<std::int64_t>(spec_.slots[slot].size());
  }
  void read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const override;
  void read_message(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const override {
    read_turn(spec_.slots[slot][i], node, entry);
    entry.step = static_cast<std::int32_t>(i) + 1;
  }
  // The message of a turn, without its step.
  void read_turn(Turn turn, NodeId node, TableEntry& entry) const;
  std::int32_t route_of(std::size_t slot, std::size_t i, NodeId node) const override {
    const auto [chunk, message] = spec_.slots[slot][i];
    return spec_.chunks[static_cast<std::size_t>(chunk)].program->move(node, message).route;
  }
  std::vector<std::int32_t> routes(std::size_t slot, NodeId node) const override;

 private:
  const MessageFamilies& families_of(const ChunkProgram& program) const;

  Translations moves_;
  Spec spec_;
  mutable std::mutex families_mutex_;
  mutable std::map<const ChunkProgram*, MessageFamilies> families_;  // of programs whose entries were read
};

}  // namespace coppice::schedule
