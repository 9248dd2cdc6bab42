#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "schedule/tables/chunk_program.h"
#include "schedule/tables/message_families.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::schedule {

// The tables of all accelerators of a hierarchy. A table is a list of turns, which refer to messages of chunk
// programs. Chunks with the same order of dimensions share a program, so the programs' memory does not grow
// with the number of chunks. Chunk c is flow c; the entry of turn t has step t + 1.
class ProgramTables final : public SymmetricTables {
 public:
  // The way of a chunk: the orders of dimensions in its reduce-scatter and all-gather, and the number of the
  // lane that it uses in every dimension with several lanes (topology::Lane).
  using ChunkWays = std::tuple<DimensionOrder, DimensionOrder, std::size_t>;
  struct Turn {
    std::int32_t chunk = 0;
    std::int32_t message = 0;  // index of the message in the chunk's program
  };
  struct PlacedChunk {
    const ChunkProgram* program = nullptr;
    const MessageSizes* sizes = nullptr;
    Bytes address = 0;
  };
  struct Spec {
    std::map<ChunkWays, ChunkProgram> programs;
    std::map<std::pair<const ChunkProgram*, Bytes>, MessageSizes> sizes;
    std::vector<PlacedChunk> chunks;  // [chunk]; points into `programs` and `sizes`
    // The first slots are the NI ports of an accelerator. If switches reduce, they are followed by one slot
    // per dimension: the port of the dimension's switch that leads to the accelerator.
    std::vector<std::vector<Turn>> slots;
  };

  ProgramTables(Translations moves, Spec spec) : moves_(std::move(moves)), spec_(std::move(spec)) {}

  // The ProgramTables of a schedule if every accelerator uses all of them; otherwise nullptr.
  static const ProgramTables* of_all(const Schedule& schedule);

  // The moves of accelerators that preserve the dimensions: rotations of rings and fully connected groups,
  // and bit flips in dimensions that run halving and doubling. Contains only the identity if Translations
  // does not support the dimensions.
  static Translations moves_of(const topology::Hierarchy& hierarchy, int accelerators,
                               std::span<const DimensionAlgorithm> algorithms);

  const std::map<ChunkWays, ChunkProgram>& programs() const { return spec_.programs; }
  const std::map<std::pair<const ChunkProgram*, Bytes>, MessageSizes>& sizes() const { return spec_.sizes; }
  std::span<const PlacedChunk> chunks() const { return spec_.chunks; }
  std::span<const Turn> turns(std::size_t slot) const { return spec_.slots[slot]; }
  std::size_t slots() const { return spec_.slots.size(); }

  // The turns of one message in all chunks that differ only in their position.
  struct AlikeTurns {
    Turn turn;               // turn of the chunk with the largest address
    std::int32_t step = 0;   // step of the last of these turns
    std::int64_t count = 0;  // number of turns per accelerator
  };
  std::vector<AlikeTurns> alike_turns() const;

  const Translations& moves() const override { return moves_; }
  // A chunk's messages keep their flow under moves.
  std::int32_t moved_back_flow(std::int32_t flow, NodeId /*from*/) const override { return flow; }
  void read_images(std::size_t slot, std::size_t i, std::vector<Image>& into) const override;
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
  mutable std::map<const ChunkProgram*, MessageFamilies> families_;  // filled on demand
};

}  // namespace coppice::schedule
