#include "schedule/tables/chunk_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace coppice::schedule {

using topology::Hierarchy;

ChunkProgram::ChunkProgram(const Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms,
                           int accelerators, int pieces, const DimensionOrder& order,
                           std::span<const ProgramStage> stages)
    : accelerators_(accelerators), pieces_(pieces) {
  for (const std::size_t d : order) {
    const Hierarchy::Dimension& dimension = hierarchy.dimensions()[d];
    levels_.push_back({d, dimension.size, dimension.stride});
  }
  add_stages(hierarchy, algorithms, stages);
  moves_.resize(step_of_.size() * static_cast<std::size_t>(accelerators));
  find_moves(hierarchy, algorithms);
}

void ChunkProgram::add_stages(const Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms,
                              std::span<const ProgramStage> stages) {
  Received received{.by_switch = std::vector<std::int32_t>(algorithms.size(), 0)};
  std::uint32_t gathered = 0;
  for (const ProgramStage& stage : stages) {
    const auto of_stage = [&](const Level& level) { return level.dimension == stage.dimension; };
    Step step{.stage = stage, .gathered = gathered};
    step.level = static_cast<int>(std::ranges::find_if(levels_, of_stage) - levels_.begin());
    if (hierarchy.dimensions()[stage.dimension].in_network) {
      add_offloaded(step, received);
    } else {
      add_across(step, algorithms[stage.dimension], received);
    }
    if (stage.op == Op::kGather || stage.whole) gathered |= 1U << stage.dimension;
  }
}

void ChunkProgram::add_across(Step step, const DimensionAlgorithm& algorithm, Received& received) {
  for (step.in_stage = 0; step.in_stage < algorithm.steps(); ++step.in_stage) {
    step.in_turn =
        static_cast<int>(step.stage.runs(algorithm.move(step.stage.op, step.in_stage, 0, 0).parts));
    step.messages = algorithm.messages() * step.in_turn;
    step.dependencies = received.by_accelerator;
    step.arrival = received.by_accelerator;
    received.by_accelerator += step.messages;
    add_step(step);
  }
}

void ChunkProgram::add_offloaded(Step step, Received& received) {
  std::int32_t& at_switch = received.by_switch[step.stage.dimension];
  // The other accelerators' parts lie on both sides of an accelerator's own part, unless there is only one
  // other part.
  const int others = level(step).size > 2 ? 2 : 1;
  step.leg = Leg::kUp;
  step.messages = step.in_turn = step.stage.op == Op::kReduce && !step.stage.whole ? others : 1;
  step.dependencies = received.by_accelerator;
  step.arrival = at_switch;
  at_switch += level(step).size * step.messages;
  add_step(step);
  step.leg = Leg::kDown;
  step.in_stage = 1;
  step.messages = step.in_turn = step.stage.op == Op::kGather ? others : 1;
  step.dependencies = at_switch;
  step.arrival = received.by_accelerator;
  received.by_accelerator += step.messages;
  add_step(step);
}

void ChunkProgram::add_step(const Step& step) {
  steps_.push_back(step);
  steps_.back().first_message = messages();
  step_of_.insert(step_of_.end(), static_cast<std::size_t>(step.messages),
                  static_cast<int>(steps_.size()) - 1);
}

// The pieces that an accelerator still sums after the reduce-scatters of the first `levels` dimensions of the
// order.
Pieces ChunkProgram::range(NodeId node, std::size_t levels) const {
  Pieces range{0, pieces_};
  for (std::size_t level = 0; level < levels; ++level) {
    range.count /= levels_[level].size;
    range.first += levels_[level].coordinate(node) * range.count;
  }
  return range;
}

std::vector<std::int32_t> ChunkProgram::widths() const {
  std::vector<std::int32_t> widths{pieces_};
  for (const Level& level : levels_) widths.push_back(widths.back() / level.size);
  return widths;
}

// The pieces of the other group members that message `message` of the step carries.
Pieces ChunkProgram::of_others(NodeId node, const Step& step, int message) const {
  const Pieces group = of_group(node, step);
  const Pieces own = of_own(node, step);
  Pieces before{group.first, own.first - group.first};
  Pieces behind{own.end(), group.end() - own.end()};
  // If there are two messages, neither may be empty. The first and last accelerators of the group, for which
  // all other pieces lie on one side, split these pieces.
  const bool two = step.messages == 2;
  if (two && before.count == 0) {
    before = {behind.first, behind.count / 2};
    behind = {before.end(), behind.count - before.count};
  } else if (two && behind.count == 0) {
    behind = {before.first + before.count / 2, before.count - before.count / 2};
    before.count -= behind.count;
  }
  return message == 0 && before.count > 0 ? before : behind;
}

bool ChunkProgram::all_gathered(const Step& step, std::size_t from_level) const {
  return std::all_of(levels_.begin() + static_cast<std::ptrdiff_t>(from_level), levels_.end(),
                     [&](const Level& level) { return ((step.gathered >> level.dimension) & 1U) != 0; });
}

// Finds the contiguous ranges of the pieces that an all-gather's message carries. Searches only `within`, the
// range that is selected by the coordinates in the first `level` dimensions of the order.
void ChunkProgram::find_positions(Pieces within, std::size_t level, const Sent& sent,
                                  std::vector<Pieces>& places) const {
  if (all_gathered(*sent.step, level)) {
    places.push_back(within);
    return;
  }
  const auto& [d, size, stride] = levels_[level];
  const std::int32_t width = within.count / size;
  const bool whole = ((sent.step->gathered >> d) & 1U) != 0;
  int first = whole ? 0 : levels_[level].coordinate(sent.node);
  int end = whole ? size : first + 1;
  if (d == sent.step->stage.dimension) {
    first = sent.first_part;
    end = first + sent.parts;
    if (all_gathered(*sent.step, level + 1)) {
      places.push_back({within.first + first * width, sent.parts * width});
      return;
    }
  }
  for (int x = first; x < end; ++x)
    find_positions({within.first + x * width, width}, level + 1, sent, places);
}

void ChunkProgram::find_moves(const Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms) {
  for (const Step& step : steps_) {
    const std::size_t d = step.stage.dimension;
    for (int m = 0; m < step.messages; ++m) {
      const int message = step.first_message + m;
      const auto first_port = hierarchy.dimensions()[d].first_port;
      for (NodeId node = 0; node < accelerators_; ++node) {
        Move& move = moves_[place(node, message)];
        if (step.leg == Leg::kAcross) {
          move = across(hierarchy, algorithms[d], node, step, m);
        } else if (step.leg == Leg::kUp) {
          move.dst = hierarchy.switch_of(node, d);
          move.pieces = up(node, step, m);
        } else {
          move.dst = node;
          move.pieces = down(node, step, m);
        }
      }
      const int port = step.leg == Leg::kAcross
                           ? algorithms[d].move(step.stage.op, step.in_stage, m / step.in_turn, 0).port
                           : 0;
      out_ports_.push_back(step.leg == Leg::kDown ? -1 : first_port + port);
    }
  }
}

ChunkProgram::Move ChunkProgram::across(const Hierarchy& hierarchy, const DimensionAlgorithm& algorithm,
                                        NodeId node, const Step& step, int message) const {
  const int number = message / step.in_turn;  // index among the messages of DimensionAlgorithm
  const auto there = algorithm.move(step.stage.op, step.in_stage, number, level(step).coordinate(node));
  Move move;
  move.dst = hierarchy.peer(node, step.stage.dimension, there.peer);
  if (step.stage.op == Op::kReduce) {
    const Pieces held = of_group(node, step);
    const std::int32_t part = held.count / level(step).size;
    move.pieces = {held.first + there.first_part * part, there.parts * part};
  } else {
    std::vector<Pieces> places;
    find_positions({0, pieces_}, 0, {node, &step, there.first_part, there.parts}, places);
    move.pieces = places.at(static_cast<std::size_t>(message % step.in_turn));
  }
  if (!algorithm.sends_halves()) return move;
  move.pieces.count /= 2;
  if (number % 2 != 0) move.pieces.first += move.pieces.count;
  return move;
}

Pieces ChunkProgram::up(NodeId node, const Step& step, int message) const {
  if (step.stage.op == Op::kGather) return of_own(node, step);
  return step.stage.whole ? of_group(node, step) : of_others(node, step, message);
}

Pieces ChunkProgram::down(NodeId node, const Step& step, int message) const {
  if (step.stage.op == Op::kGather) return of_others(node, step, message);
  return step.stage.whole ? of_group(node, step) : of_own(node, step);
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
      fmt::format("a chunk of {} pieces needs at least {}, not {}: use fewer chunks or more data", pieces,
                  format_bytes(least), format_bytes(chunk)));
}

Share share_of(NodeId owner, const Pieces& own, const MessageSizes& sizes, Bytes address) {
  const Bytes begin = address + sizes.bounds[static_cast<std::size_t>(own.first)];
  return {.data = {.address = begin, .bytes = sizes.bytes(own)}, .owner = owner};
}

}  // namespace coppice::schedule
