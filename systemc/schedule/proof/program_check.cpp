#include "schedule/proof/program_check.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "schedule/proof/contention.h"
#include "schedule/proof/replay.h"
#include "schedule/proof/symmetric_check.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

// The schedule's ProgramTables if every accelerator uses all of them; otherwise nullptr.
const ProgramTables* tables_of_all(const Schedule& schedule) {
  const ProgramTables* tables = ProgramTables::of_all(schedule);
  const bool numbered = schedule.numbered_arrivals && !schedule.ordered_by_lockstep;
  const bool fits = tables != nullptr && schedule.flows == static_cast<int>(tables->chunks().size());
  return numbered && fits ? tables : nullptr;
}

// A route, followed from one accelerator. It uses a channel of the accelerator and possibly a channel of a
// switch.
struct Way {
  NodeId dst = topology::kNoNode;
  int ejection_port = -1;
  int channels = 0;
  const topology::Channel* first = nullptr;
  const topology::Channel* last = nullptr;

  bool like(const Way& other) const {
    const auto same = [](const topology::Channel& a, const topology::Channel& b) {
      return a.bandwidth == b.bandwidth && a.latency == b.latency;
    };
    return channels > 0 && channels == other.channels && ejection_port == other.ejection_port &&
           first->src_port == other.first->src_port && last->dst_port == other.last->dst_port &&
           same(*first, *other.first) && same(*last, *other.last);
  }
};

class Images {
 public:
  Images(const Topology& topology, const Schedule& schedule, const ProgramTables& tables)
      : topology_(topology), schedule_(schedule), moves_(tables.moves()) {
    const std::size_t nodes = schedule.nodes.size();
    ways_.resize(schedule.routes.size() * nodes);
    for (std::size_t route = 0; route < schedule.routes.size(); ++route) {
      for (std::size_t node = 0; node < nodes; ++node) {
        ways_[route * nodes + node] = follow(static_cast<NodeId>(node), schedule.routes[route]);
      }
    }
  }

  bool are_all_of(const ChunkProgram& program) const {
    for (int m = 0; m < program.messages(); ++m) {
      const auto moves = program.moves(m);
      const auto origin = static_cast<std::size_t>(moves_.origin());
      const Way* at_origin = way(moves_.origin(), moves[origin]);
      if (at_origin == nullptr || at_origin->dst != moves[origin].dst) return false;
      for (std::size_t n = 0; n < moves.size(); ++n) {
        const auto node = static_cast<NodeId>(n);
        const Way* here = way(node, moves[n]);
        if (here == nullptr || here->dst != moves[n].dst || !here->like(*at_origin)) return false;
        if (here->dst != moves_.moved(at_origin->dst, node)) return false;
      }
    }
    return true;
  }

 private:
  const Way* way(NodeId node, const ChunkProgram::Move& move) const {
    if (move.route < 0 || move.route >= static_cast<int>(schedule_.routes.size())) return nullptr;
    return &ways_[static_cast<std::size_t>(move.route) * schedule_.nodes.size() +
                  static_cast<std::size_t>(node)];
  }

  Way follow(NodeId node, const topology::Route& route) const {
    Way way;
    NodeId at = node;
    for (const topology::Hop& hop : route) {
      const auto out = topology_.out_channels(at);
      if (hop.vcs.begin >= hop.vcs.end) return {};
      if (hop.out_port >= out.size()) {
        way.ejection_port = hop.out_port - static_cast<int>(out.size());
        way.dst = at;
        const bool ends = &hop == &route.back() && topology_.is_accelerator(at) && way.channels > 0 &&
                          way.ejection_port < static_cast<int>(schedule_.nodes.front().ports.size());
        return ends ? way : Way{};
      }
      if (way.channels == 2 || (way.channels == 1 && topology_.is_accelerator(at))) return {};
      way.last = &topology_.channel(out[hop.out_port]);
      if (way.channels++ == 0) way.first = way.last;
      at = way.last->dst;
    }
    return {};
  }

  const Topology& topology_;
  const Schedule& schedule_;
  const Translations& moves_;
  std::vector<Way> ways_;  // [route * accelerators + accelerator]: the route from there
};

// Whether chunks are contiguous, their pieces consist of whole elements, and no message exceeds its maximum
// length.
bool are_laid_out(const Schedule& schedule, const ProgramTables& tables) {
  Bytes covered = 0;
  for (const auto& [program, sizes, address] : tables.chunks()) {
    const auto& bounds = sizes->bounds;
    if (address != covered || bounds.size() != static_cast<std::size_t>(program->pieces()) + 1) return false;
    if (bounds.front() != 0 || address % schedule.element != 0) return false;
    if (std::ranges::adjacent_find(bounds, std::greater_equal()) != bounds.end()) return false;
    covered += bounds.back();
  }
  for (const auto& [key, sizes] : tables.sizes()) {
    const auto whole = [&](Bytes bound) { return bound % schedule.element == 0; };
    if (!std::ranges::all_of(sizes.bounds, whole)) return false;
    for (int m = 0; m < key.first->messages(); ++m) {
      for (const ChunkProgram::Move& move : key.first->moves(m)) {
        if (sizes.bytes(move.pieces) > sizes.longest[static_cast<std::size_t>(m)]) return false;
      }
    }
  }
  return covered == schedule.size;
}

// Whether every message of every chunk has exactly one turn, at one port.
bool have_turns(const ProgramTables& tables) {
  std::vector<std::vector<bool>> seen;
  for (const auto& chunk : tables.chunks()) {
    seen.emplace_back(static_cast<std::size_t>(chunk.program->messages()), false);
  }
  std::size_t missing = 0;
  for (const auto& messages : seen) missing += messages.size();
  for (std::size_t slot = 0; slot < tables.slots(); ++slot) {
    for (const auto& [chunk, message] : tables.turns(slot)) {
      auto& messages = seen[static_cast<std::size_t>(chunk)];
      if (messages[static_cast<std::size_t>(message)]) return false;
      messages[static_cast<std::size_t>(message)] = true;
      --missing;
    }
  }
  return missing == 0;
}

// Whether every accelerator's share of a chunk matches the share that the chunk's program assigns to the
// accelerator.
bool are_shared_out(const Schedule& schedule, const ProgramTables& tables) {
  if (schedule.collective == Collective::kAllReduce) return true;
  const std::size_t nodes = schedule.nodes.size();
  if (schedule.shares.size() != nodes * tables.chunks().size()) return false;
  for (std::size_t i = 0; i < schedule.shares.size(); ++i) {
    const Share& share = schedule.shares[i];
    const auto& [program, sizes, address] = tables.chunks()[i / nodes];
    if (share.owner < 0 || share.owner >= static_cast<NodeId>(nodes)) return false;
    const Pieces own = program->share(share.owner);
    const bool follows = own.first == static_cast<std::int32_t>(i % nodes) * own.count;
    if (!follows || share.data.address != address + sizes->bounds[static_cast<std::size_t>(own.first)] ||
        share.data.bytes != sizes->bytes(own)) {
      return false;
    }
  }
  return true;
}

// Tracks the contributions that every accelerator holds, for one batch of a chunk's pieces.
class HeldPieces {
 public:
  HeldPieces(const ChunkProgram& program, Collective collective)
      : program_(program), collective_(collective) {}

  // The number of pieces in a batch. Larger batches need fewer passes over all messages, but the stored
  // contributions should fit into a cache.
  static std::int32_t batch(int accelerators) {
    constexpr std::size_t kCache = std::size_t{2} << 20;  // target size of the stored contributions in bytes
    const std::size_t fit = kCache / sizeof(Held) / static_cast<std::size_t>(accelerators);
    return std::max(64, static_cast<std::int32_t>(fit));
  }
  // Follows all messages; returns false if they violate a condition of prove_program().
  bool follow(Pieces batch) {
    batch_ = batch;
    begin();
    for (const ChunkProgram::Step& step : program_.steps()) {
      if (!for_each(step, [&](Held& held) { return send(held, step.op()); })) return false;
      if (!deliver(step)) return false;
    }
    return std::ranges::all_of(held_, [&](const Held& held) { return is_owed(held); });
  }
  int additions() const { return additions_; }

 private:
  enum class State : std::uint8_t { kSums, kSent, kFinal };
  struct Held {
    std::int32_t contributions = 1;
    std::int32_t deepest = 0;
    std::int16_t arrivals = 0;
    State state = State::kSums;
    bool owner = false;
    int depth() const { return deepest + arrivals; }
  };

  void begin() {
    held_.assign(static_cast<std::size_t>(program_.accelerators()) * static_cast<std::size_t>(batch_.count),
                 {});
    for (NodeId node = 0; node < program_.accelerators(); ++node) {
      for (Held& held : part(node, program_.share(node))) held.owner = true;
    }
    if (collective_ != Collective::kAllGather) return;
    for (Held& held : held_) {
      held.state = held.owner ? State::kFinal : State::kSent;
    }
  }

  bool send(Held& held, Op op) const {
    if (op == Op::kReduce) {
      if (held.state != State::kSums) return false;
      held.state = State::kSent;
      return true;
    }
    if (held.state == State::kSums && held.contributions == program_.accelerators()) {
      held.state = State::kFinal;
    }
    return held.state == State::kFinal;
  }

  // Delivers the messages of a step. Returns false if data that an accelerator has sent changes before the
  // final value arrives.
  bool deliver(const ChunkProgram::Step& step) {
    for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
      const auto moves = program_.moves(m);
      for (NodeId node = 0; node < program_.accelerators(); ++node) {
        const ChunkProgram::Move& move = moves[static_cast<std::size_t>(node)];
        const auto from = part(node, move.pieces);
        const auto to = part(move.dst, move.pieces);
        for (std::size_t i = 0; i < from.size(); ++i) {
          if (!arrive(from[i], to[i], step.op())) return false;
        }
      }
    }
    return true;
  }

  bool arrive(const Held& from, Held& to, Op op) {
    if (op == Op::kGather) {
      if (to.state != State::kSent) return false;
      to.state = State::kFinal;
      return true;
    }
    if (to.state != State::kSums) return false;
    to.contributions += from.contributions;
    to.deepest = std::max(to.deepest, from.depth());
    ++to.arrivals;
    additions_ = std::max(additions_, to.depth());
    return true;
  }

  bool is_owed(const Held& held) const {
    if (collective_ != Collective::kReduceScatter) return held.state == State::kFinal;
    return held.owner ? held.state == State::kSums && held.contributions == program_.accelerators()
                      : held.state == State::kSent;
  }

  template <typename Do>
  bool for_each(const ChunkProgram::Step& step, Do apply) {
    for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
      const auto moves = program_.moves(m);
      for (NodeId node = 0; node < program_.accelerators(); ++node) {
        for (Held& held : part(node, moves[static_cast<std::size_t>(node)].pieces)) {
          if (!apply(held)) return false;
        }
      }
    }
    return true;
  }

  // The state, at `node`, of the pieces in `pieces` that belong to the batch.
  std::span<Held> part(NodeId node, const Pieces& pieces) {
    const std::int32_t first = std::max(pieces.first, batch_.first);
    const std::int32_t end = std::min(pieces.end(), batch_.end());
    if (first >= end) return {};
    return {&held_[static_cast<std::size_t>(node) * static_cast<std::size_t>(batch_.count) +
                   static_cast<std::size_t>(first - batch_.first)],
            static_cast<std::size_t>(end - first)};
  }

  const ChunkProgram& program_;
  Collective collective_;
  Pieces batch_;
  std::vector<Held> held_;  // [accelerator * pieces in the batch + piece]
  int additions_ = 0;
};

// Whether all messages carry pieces of the chunk, and every piece is in exactly one accelerator's share.
bool has_whole_pieces(const ChunkProgram& program) {
  for (int m = 0; m < program.messages(); ++m) {
    for (const ChunkProgram::Move& move : program.moves(m)) {
      if (move.pieces.first < 0 || move.pieces.count < 1 || move.pieces.end() > program.pieces()) {
        return false;
      }
    }
  }
  std::vector<bool> shared(static_cast<std::size_t>(program.pieces()), false);
  for (NodeId node = 0; node < program.accelerators(); ++node) {
    const Pieces own = program.share(node);
    if (own.first < 0 || own.end() > program.pieces()) return false;
    for (std::int32_t piece = own.first; piece < own.end(); ++piece) {
      if (shared[static_cast<std::size_t>(piece)]) return false;
      shared[static_cast<std::size_t>(piece)] = true;
    }
  }
  return std::ranges::find(shared, false) == shared.end();
}

// Compares the pieces that accelerators send with the images of the pieces that the origin sends: the image
// of a piece has the same position in the share of its owner's image. Pieces whose owners agree in the first
// dimensions of the order form a block, and moves map blocks to blocks, so blocks are compared, not pieces.
class PieceImages {
 public:
  PieceImages(const ChunkProgram& program, const Translations& moves)
      : program_(program),
        moves_(moves),
        widths_(program.widths()),
        owners_(static_cast<std::size_t>(program.pieces())),
        sent_by_(owners_.size(), {-1, topology::kNoNode}) {
    for (NodeId node = 0; node < program.accelerators(); ++node) {
      const Pieces share = program.share(node);
      std::fill_n(owners_.begin() + share.first, share.count, node);
    }
  }

  bool are_sent(const ChunkProgram::Step& step) {
    std::map<NodeId, std::vector<int>> messages;  // [destination of the origin]
    for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
      const NodeId dst = program_.move(moves_.origin(), m).dst;
      messages[dst].push_back(m);
      for (NodeId node = 0; node < program_.accelerators(); ++node) {
        if (program_.move(node, m).dst != moves_.moved(dst, node)) return false;
      }
    }
    return std::ranges::all_of(messages, [&](const auto& group) { return are_sent(group.second); });
  }

 private:
  // `messages` go to the same destination.
  bool are_sent(const std::vector<int>& messages) {
    const std::int32_t width = common_width(messages);
    const std::vector<std::int32_t> of_origin = blocks(messages, moves_.origin(), width);
    ++turn_;
    for (NodeId node = 0; node < program_.accelerators(); ++node) {
      const std::pair here{turn_, node};
      const std::vector<std::int32_t> sent = blocks(messages, node, width);
      if (sent.size() != of_origin.size()) return false;
      for (const std::int32_t block : sent) {
        if (std::exchange(sent_by_[static_cast<std::size_t>(block)], here) == here) return false;
      }
      for (const std::int32_t block : of_origin) {
        if (sent_by_[static_cast<std::size_t>(image(block, width, node))] != here) return false;
      }
    }
    return true;
  }

  std::int32_t image(std::int32_t block, std::int32_t width, NodeId node) const {
    const std::int32_t piece = block * width;
    const NodeId owner = owners_[static_cast<std::size_t>(piece)];
    return (program_.share(moves_.moved(owner, node)).first + piece - program_.share(owner).first) / width;
  }

  std::int32_t common_width(const std::vector<int>& messages) const {
    std::size_t level = 0;
    for (const int m : messages) {
      for (const ChunkProgram::Move& move : program_.moves(m)) {
        const auto splits = [&](std::int32_t width) {
          return width == 0 || move.pieces.first % width != 0 || move.pieces.count % width != 0;
        };
        while (level < widths_.size() && splits(widths_[level])) ++level;
      }
    }
    return level < widths_.size() ? widths_[level] : 1;
  }

  std::vector<std::int32_t> blocks(const std::vector<int>& messages, NodeId node, std::int32_t width) const {
    std::vector<std::int32_t> blocks;
    for (const int m : messages) {
      const Pieces& pieces = program_.move(node, m).pieces;
      for (std::int32_t block = pieces.first / width; block < pieces.end() / width; ++block)
        blocks.push_back(block);
    }
    return blocks;
  }

  const ChunkProgram& program_;
  const Translations& moves_;
  std::vector<std::int32_t> widths_;
  std::vector<NodeId> owners_;                            // [piece]
  std::vector<std::pair<std::int32_t, NodeId>> sent_by_;  // [block]: when and by whom it was sent last
  std::int32_t turn_ = 0;
};

}  // namespace

bool moves_map_pieces(const ChunkProgram& program, const Translations& moves) {
  if (moves.nodes() != static_cast<std::size_t>(program.accelerators())) return false;
  PieceImages images(program, moves);
  return std::ranges::all_of(program.steps(), [&](const ChunkProgram::Step& step) {
    return step.leg == ChunkProgram::Leg::kAcross && images.are_sent(step);
  });
}

const ProgramTables* alike_programs(const Topology& topology, const Schedule& schedule) {
  const ProgramTables* tables = tables_of_all(schedule);
  if (tables == nullptr || static_cast<int>(schedule.nodes.size()) != topology.num_accelerators()) {
    return nullptr;
  }
  const Images images(topology, schedule, *tables);
  for (const auto& [order, program] : tables->programs()) {
    if (program.accelerators() != topology.num_accelerators() || !images.are_all_of(program)) return nullptr;
  }
  return tables;
}

std::optional<int> prove_program(const ChunkProgram& program, const Translations& moves,
                                 Collective collective) {
  if (!has_whole_pieces(program)) return std::nullopt;
  HeldPieces held(program, collective);
  if (moves_map_pieces(program, moves)) {
    return held.follow(program.share(moves.origin())) ? std::optional(held.additions()) : std::nullopt;
  }
  const std::int32_t batch = HeldPieces::batch(program.accelerators());
  for (std::int32_t first = 0; first < program.pieces(); first += batch) {
    if (!held.follow({first, std::min(batch, program.pieces() - first)})) return std::nullopt;
  }
  return held.additions();
}

std::optional<CheckReport> check_programs(const Topology& topology, const Schedule& schedule,
                                          const ProgramTables& tables) {
  if (!are_laid_out(schedule, tables) || !have_turns(tables) || !are_shared_out(schedule, tables)) {
    return std::nullopt;
  }
  std::map<const ChunkProgram*, int> additions;
  for (const auto& [order, program] : tables.programs()) {
    const auto proven = prove_program(program, tables.moves(), schedule.collective);
    if (!proven) return std::nullopt;
    additions[&program] = *proven;
  }
  // Parents and children are not checked, because the programs' moves determine them.
  const Schedule alone = with_tables_of(schedule, tables.moves().origin(), Names::kDestinations);
  std::vector<Message> messages = collect_messages(topology, alone);
  CheckReport report;
  report.symmetry = &tables;
  replay(alone, messages, &tables);
  find_contention(topology, alone, messages, report, &tables);
  for (const auto& chunk : tables.chunks()) report.additions.push_back(additions.at(chunk.program));
  return report;
}

}  // namespace coppice::schedule
