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

// The properties that determine the messages of a chunk's reduce-scatter or all-gather in one dimension.
struct ProgramStage {
  std::size_t dimension = 0;
  Op op = Op::kReduce;
  // The number of shares of the chunk (one per accelerator) that an accelerator holds when the stage begins.
  Bytes shares = 0;
  // Whether one stage performs both phases: the dimension's switches add the data that they receive and
  // return the sum. Used for the dimension that an all-reduce visits last in its reduce-scatter and first in
  // its all-gather.
  bool whole = false;
  // The data of an all-gather may be scattered, because the pieces between its parts have not been gathered
  // yet. `apart` is the number of contiguous runs that make up one part; `joins` is true if neighbouring
  // parts are contiguous.
  Bytes apart = 1;
  bool joins = true;

  // The number of contiguous runs that make up `parts` neighbouring parts.
  Bytes runs(int parts) const { return joins ? apart : apart * parts; }
};

// The messages of all chunks that traverse the dimensions of a hierarchy in the same order, in units of a
// chunk's pieces. All accelerators send symmetrically: message m has the same step, out-port and length on
// each accelerator.
//
// The switches of some dimensions may reduce the data they receive (in-network reduction; Themis, Sec. 4.5).
// Such a switch is a node with its own tables, one port for each accelerator of its group, and data
// initialised to zero. The messages that it sends down are listed under the receiving accelerator. Messages
// up and down differ in length between accelerators. In the switch's dimension,
//
// - in a reduce-scatter, each accelerator sends the other accelerators' parts up, receives the sum of the
//   others' contributions to its own part, and adds that sum (if it also sent its own part, the result would
//   overwrite early contributions from other dimensions);
// - in an all-gather, each accelerator sends its part up and receives the other parts;
// - an all-reduce's reduce-scatter and the all-gather that follows it in the same dimension are one stage:
//   each accelerator sends up all the data it holds and receives the sum.
class ChunkProgram {
 public:
  // A message goes from accelerator to accelerator (across), from an accelerator to its switch (up), or from
  // the switch to an accelerator (down).
  enum class Leg : std::uint8_t { kAcross, kUp, kDown };
  struct Step {
    ProgramStage stage;
    int level = 0;  // index of the stage's dimension in the order
    Leg leg = Leg::kAcross;
    int in_stage = 0;       // index of the step in its stage
    int first_message = 0;  // index of the step's first message in an accelerator's list
    int messages = 0;
    int in_turn = 1;                // number of messages sent back to back in one turn
    std::int32_t dependencies = 0;  // number of arrivals at the sender in earlier steps
    std::int32_t arrival = 0;       // number of the step's first arrival at the receiver
    std::uint32_t gathered = 0;     // one bit for every dimension that was gathered in earlier stages

    // Data sent down is final, unless it is the sum of the others' contributions to the receiver's own part.
    Op op() const { return leg == Leg::kDown && stage.whole ? Op::kGather : stage.op; }
  };
  struct Move {
    NodeId dst = topology::kNoNode;
    Pieces pieces;
    std::int32_t route = -1;  // index into Schedule::routes
  };

  // The program of a chunk that runs `stages`. `order` determines how pieces are numbered; it lists the
  // dimensions in reduce-scatter order, or in reverse all-gather order.
  ChunkProgram(const topology::Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms,
               int accelerators, int pieces, const DimensionOrder& order,
               std::span<const ProgramStage> stages);

  int accelerators() const { return accelerators_; }
  int pieces() const { return pieces_; }
  std::span<const Step> steps() const { return steps_; }
  // The number of messages listed per accelerator: those that it sends, and those that a switch sends down to
  // it.
  int messages() const { return static_cast<int>(step_of_.size()); }
  const Step& step_of(int message) const {
    return steps_[static_cast<std::size_t>(step_of_[static_cast<std::size_t>(message)])];
  }
  // The out-port of a message at every accelerator, counted over all dimensions; undefined for messages sent
  // down.
  int out_port(int message) const { return out_ports_[static_cast<std::size_t>(message)]; }
  // The number of a message among the arrivals at its destination.
  std::int32_t arrival(NodeId node, int message) const {
    const Step& step = step_of(message);
    const std::int32_t first = step.leg == Leg::kUp ? level(step).coordinate(node) * step.messages : 0;
    return step.arrival + first + message - step.first_message;
  }
  // The moves of a message, indexed by accelerator.
  std::span<const Move> moves(int message) const {
    return {&moves_[place(0, message)], static_cast<std::size_t>(accelerators_)};
  }
  const Move& move(NodeId node, int message) const { return moves_[place(node, message)]; }
  void set_route(NodeId node, int message, std::int32_t route) { moves_[place(node, message)].route = route; }
  // The pieces that an accelerator owns.
  Pieces share(NodeId node) const { return range(node, levels_.size()); }
  // For the first 0, 1, 2, ... dimensions of the order, the number of consecutive pieces whose owners agree
  // in these dimensions. The numbers descend; the last is the size of a share.
  std::vector<std::int32_t> widths() const;

 private:
  struct Level {
    std::size_t dimension;
    int size;
    int stride;

    int coordinate(NodeId node) const { return node / stride % size; }
  };
  // The parts that an accelerator sends in a step of an all-gather.
  struct Sent {
    NodeId node;
    const Step* step;
    int first_part;
    int parts;
  };
  struct Received {
    std::int32_t by_accelerator = 0;
    std::vector<std::int32_t> by_switch;  // [dimension]: number of arrivals at its switch
  };

  void add_stages(const topology::Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms,
                  std::span<const ProgramStage> stages);
  void add_across(Step step, const DimensionAlgorithm& algorithm, Received& received);
  void add_offloaded(Step step, Received& received);
  void add_step(const Step& step);
  const Level& level(const Step& step) const { return levels_[static_cast<std::size_t>(step.level)]; }
  Pieces range(NodeId node, std::size_t levels) const;
  // The pieces that the accelerator's group sums in the step's dimension. Among these, the accelerator itself
  // sums the pieces of_own().
  Pieces of_group(NodeId node, const Step& step) const {
    return range(node, static_cast<std::size_t>(step.level));
  }
  Pieces of_own(NodeId node, const Step& step) const {
    return range(node, static_cast<std::size_t>(step.level) + 1);
  }
  Pieces of_others(NodeId node, const Step& step, int message) const;
  bool all_gathered(const Step& step, std::size_t from_level) const;
  void find_positions(Pieces within, std::size_t level, const Sent& sent, std::vector<Pieces>& places) const;
  void find_moves(const topology::Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms);
  Move across(const topology::Hierarchy& hierarchy, const DimensionAlgorithm& algorithm, NodeId node,
              const Step& step, int message) const;
  Pieces up(NodeId node, const Step& step, int message) const;
  Pieces down(NodeId node, const Step& step, int message) const;
  std::size_t place(NodeId node, int message) const {
    return static_cast<std::size_t>(message) * static_cast<std::size_t>(accelerators_) +
           static_cast<std::size_t>(node);
  }

  int accelerators_;
  int pieces_;
  std::vector<Level> levels_;
  std::vector<Step> steps_;
  std::vector<int> step_of_;    // [message]: index of its step
  std::vector<int> out_ports_;  // [message]: see out_port()
  // see place(). Messages are the outer index because all accelerators send a message at the same time.
  std::vector<Move> moves_;
};

// The positions of a chunk's pieces and the lengths of its messages.
struct MessageSizes {
  // [piece]: offset of its start in the chunk; the last element is the chunk's size
  std::vector<Bytes> bounds;
  std::vector<Bytes> longest;  // [message]: maximum length over all accelerators

  Bytes bytes(const Pieces& pieces) const {
    return bounds[static_cast<std::size_t>(pieces.end())] - bounds[static_cast<std::size_t>(pieces.first)];
  }
};

// The sizes for a chunk of `chunk` bytes. The lengths of its pieces differ by at most one element.
MessageSizes size_messages(const ChunkProgram& program, Bytes chunk, Bytes element);

// Returns MessageSizes::bounds for a chunk of `chunk` bytes.
std::vector<Bytes> piece_bounds(int pieces, Bytes chunk, Bytes element);

// Throws UnsupportedError if a chunk of `chunk` bytes has fewer elements than pieces.
void require_enough_data(int pieces, Bytes chunk, Bytes element);

// The pieces `own` of a chunk that begins at `address`, as a share that belongs to `owner`.
Share share_of(NodeId owner, const Pieces& own, const MessageSizes& sizes, Bytes address);

}  // namespace coppice::schedule
