#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/tables/dimension_algorithm.h"
#include "schedule/tables/schedule.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {

using topology::DimensionOrder;

// Consecutive pieces of a chunk.
struct Pieces {
  std::int32_t first = 0;
  std::int32_t count = 0;

  std::int32_t end() const { return first + count; }
  bool overlap(const Pieces& other) const { return first < other.end() && other.first < end(); }
};

// The part that all chunks share which go through the dimensions of a hierarchy in one order: the messages of
// every accelerator, in pieces of the chunk. All accelerators send alike: message m of any of them is of the
// same step, out-port and length.
class ChunkProgram {
 public:
  struct Step {
    std::size_t dimension = 0;
    Op op = Op::kReduce;
    int in_dimension = 0;   // which of the dimension's steps it is
    int level = 0;          // place of the dimension in the order
    int first_message = 0;  // of an accelerator
    int messages = 0;
  };
  struct Move {
    NodeId dst = topology::kNoNode;
    Pieces pieces;
    std::int32_t route = -1;  // Schedule::routes
    std::int32_t first_of_family = 0;
    std::int32_t family = 0;
  };

  // Reduce-scatters over the dimensions in `order`, all-gathers back, or does one of both.
  ChunkProgram(const topology::Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms,
               int accelerators, int pieces, Collective collective, const DimensionOrder& order);

  int accelerators() const { return accelerators_; }
  int pieces() const { return pieces_; }
  std::span<const Step> steps() const { return steps_; }
  // How many an accelerator sends.
  int messages() const { return static_cast<int>(step_of_.size()); }
  const Step& step_of(int message) const {
    return steps_[static_cast<std::size_t>(step_of_[static_cast<std::size_t>(message)])];
  }
  // The port at every accelerator, counted over all dimensions.
  int out_port(int message) const { return out_ports_[static_cast<std::size_t>(message)]; }
  // The moves of a message, by accelerator.
  std::span<const Move> moves(int message) const {
    return {&moves_[place(0, message)], static_cast<std::size_t>(accelerators_)};
  }
  const Move& move(NodeId node, int message) const { return moves_[place(node, message)]; }
  void set_route(NodeId node, int message, std::int32_t route) { moves_[place(node, message)].route = route; }
  // The sources of its data: the accelerators whose partial sums it includes, or the one that the value
  // came from.
  std::span<const NodeId> family(const Move& move) const {
    return {family_.data() + move.first_of_family, static_cast<std::size_t>(move.family)};
  }
  // How many pieces an accelerator holds of a chunk before it goes through a dimension.
  int pieces_before(const Step& step) const;
  // The pieces that are an accelerator's own.
  Pieces share(NodeId node) const { return range(node, levels_.size()); }

 private:
  struct Level {
    std::size_t dimension;
    int size;
    int stride;
  };

  void add_steps(Op op, int level, std::span<const DimensionAlgorithm> algorithms);
  Pieces range(NodeId node, std::size_t levels) const;
  void find_moves(const topology::Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms);
  void find_families();
  std::size_t place(NodeId node, int message) const {
    return static_cast<std::size_t>(message) * static_cast<std::size_t>(accelerators_) +
           static_cast<std::size_t>(node);
  }

  int accelerators_;
  int pieces_;
  std::vector<Level> levels_;
  std::vector<Step> steps_;
  std::vector<int> step_of_;    // [message]
  std::vector<int> out_ports_;  // [message]
  std::vector<Move> moves_;     // [message * accelerators + accelerator]: all do the same at a time
  std::vector<NodeId> family_;
};

// Where the pieces of a chunk lie, and how long the messages of its program are.
struct MessageSizes {
  std::vector<Bytes> bounds;   // of pieces, from the chunk's address
  std::vector<Bytes> longest;  // [message]: over all accelerators

  Bytes bytes(const Pieces& pieces) const {
    return bounds[static_cast<std::size_t>(pieces.end())] - bounds[static_cast<std::size_t>(pieces.first)];
  }
};

// The sizes for a chunk of so many bytes in pieces that differ by one element at most.
MessageSizes size_messages(const ChunkProgram& program, Bytes chunk, Bytes element);

// MessageSizes::bounds.
std::vector<Bytes> piece_bounds(int pieces, Bytes chunk, Bytes element);

// Throws UnsupportedError if a chunk has not an element for every piece.
void require_enough_data(int pieces, Bytes chunk, Bytes element);

// The pieces `own` of a chunk that begins at `address`, as the share of an accelerator.
Share share_of(NodeId owner, const Pieces& own, const MessageSizes& sizes, Bytes address);

}  // namespace coppice::schedule
