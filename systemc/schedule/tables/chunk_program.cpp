#include "schedule/tables/chunk_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace coppice::schedule {

using topology::Hierarchy;

ChunkProgram::ChunkProgram(const Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms,
                           int accelerators, int pieces, Collective collective, const DimensionOrder& order)
    : accelerators_(accelerators), pieces_(pieces) {
  for (const std::size_t d : order) {
    const Hierarchy::Dimension& dimension = hierarchy.dimensions()[d];
    levels_.push_back({d, dimension.size, dimension.stride});
  }
  const auto levels = static_cast<int>(levels_.size());
  for (int level = 0; collective != Collective::kAllGather && level < levels; ++level) {
    add_steps(Op::kReduce, level, algorithms);
  }
  for (int level = levels; collective != Collective::kReduceScatter && level-- > 0;) {
    add_steps(Op::kGather, level, algorithms);
  }
  moves_.resize(step_of_.size() * static_cast<std::size_t>(accelerators));
  find_moves(hierarchy, algorithms);
  find_families();
}

void ChunkProgram::add_steps(Op op, int level, std::span<const DimensionAlgorithm> algorithms) {
  const std::size_t d = levels_[static_cast<std::size_t>(level)].dimension;
  for (int s = 0; s < algorithms[d].steps(); ++s) {
    const int each = algorithms[d].messages();
    step_of_.insert(step_of_.end(), static_cast<std::size_t>(each), static_cast<int>(steps_.size()));
    steps_.push_back({d, op, s, level, messages() - each, each});
  }
}

// The pieces that an accelerator still sums after `levels` dimensions of the order.
Pieces ChunkProgram::range(NodeId node, std::size_t levels) const {
  Pieces range{0, pieces_};
  for (std::size_t level = 0; level < levels; ++level) {
    const auto& [dimension, size, stride] = levels_[level];
    range.count /= size;
    range.first += node / stride % size * range.count;
  }
  return range;
}

int ChunkProgram::pieces_before(const Step& step) const {
  const int levels = step.op == Op::kReduce ? step.level : step.level + 1;
  return range(0, static_cast<std::size_t>(levels)).count;
}

void ChunkProgram::find_moves(const Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms) {
  for (const Step& step : steps_) {
    const DimensionAlgorithm& algorithm = algorithms[step.dimension];
    const Hierarchy::Dimension& dimension = hierarchy.dimensions()[step.dimension];
    for (int m = 0; m < step.messages; ++m) {
      const int message = step.first_message + m;
      for (NodeId node = 0; node < accelerators_; ++node) {
        const int self = hierarchy.coordinate(node, step.dimension);
        const auto there = algorithm.move(step.op, step.in_dimension, m, self);
        const Pieces held = range(node, static_cast<std::size_t>(step.level));
        const std::int32_t part = held.count / dimension.size;
        Move& move = moves_[place(node, message)];
        move.dst = hierarchy.peer(node, step.dimension, there.peer);
        move.pieces = {held.first + there.first_part * part, there.parts * part};
        if (node == 0) out_ports_.push_back(dimension.first_port + there.port);
        if (!algorithm.sends_halves()) continue;
        move.pieces.count /= 2;
        if (m % 2 != 0) move.pieces.first += move.pieces.count;
      }
    }
  }
}

// The arrivals of earlier steps that overlap a message.
void ChunkProgram::find_families() {
  std::vector<NodeId> source(moves_.size());  // [place of a move]: who sends it to an accelerator
  for (int m = 0; m < messages(); ++m) {
    for (NodeId node = 0; node < accelerators_; ++node) source[place(move(node, m).dst, m)] = node;
  }
  for (int m = 0; m < messages(); ++m) {
    const Step& step = step_of(m);
    for (NodeId node = 0; node < accelerators_; ++node) {
      Move& sent = moves_[place(node, m)];
      sent.first_of_family = static_cast<std::int32_t>(family_.size());
      for (int e = 0; e < step.first_message; ++e) {
        const NodeId from = source[place(node, e)];
        if (step_of(e).op != step.op || !move(from, e).pieces.overlap(sent.pieces)) continue;
        // A value comes from the last that brought it.
        if (step.op == Op::kGather) family_.resize(static_cast<std::size_t>(sent.first_of_family));
        family_.push_back(from);
      }
      sent.family = static_cast<std::int32_t>(family_.size()) - sent.first_of_family;
    }
  }
}

MessageSizes size_messages(const ChunkProgram& program, Bytes chunk, Bytes element) {
  MessageSizes sizes;
  sizes.bounds = piece_bounds(program.pieces(), chunk, element);
  for (int m = 0; m < program.messages(); ++m) {
    Bytes& longest = sizes.longest.emplace_back(0);
    for (const ChunkProgram::Move& move : program.moves(m)) {
      longest = std::max(longest, sizes.bytes(move.pieces));
    }
  }
  return sizes;
}

std::vector<Bytes> piece_bounds(int pieces, Bytes chunk, Bytes element) {
  std::vector<Bytes> bounds;
  const Bytes elements = chunk / element;
  for (int piece = 0; piece <= pieces; ++piece) bounds.push_back(elements * piece / pieces * element);
  return bounds;
}

void require_enough_data(int pieces, Bytes chunk, Bytes element) {
  const Bytes least = pieces * element;
  if (chunk >= least) return;
  throw UnsupportedError(
      fmt::format("a chunk of {} pieces needs {} at least, not {}: use fewer chunks or more data", pieces,
                  format_bytes(least), format_bytes(chunk)));
}

Share share_of(NodeId owner, const Pieces& own, const MessageSizes& sizes, Bytes address) {
  const Bytes begin = address + sizes.bounds[static_cast<std::size_t>(own.first)];
  return {.data = {.address = begin, .bytes = sizes.bytes(own)}, .owner = owner};
}

}  // namespace coppice::schedule
