#include "schedule/hierarchical/offload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "schedule/hierarchical/chunk_planning.h"
#include "schedule/hierarchical/turn_order.h"
#include "schedule/tables/chunk_program.h"
#include "schedule/tables/dimension_algorithm.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Hierarchy;
using topology::Topology;

// Between accelerators, from each to its switch, or from the switch to each.
enum class Leg { kAcross, kUp, kDown };

// The messages that all chunks of one order have in common. Messages that come down are listed with the
// accelerator that they come to, all others with the one that sends them: all accelerators have the same.
class Program {
 public:
  struct Step {
    ChunkStage stage;
    Leg leg = Leg::kAcross;
    int in_stage = 0;       // which of the stage's steps it is
    int first_message = 0;  // of an accelerator
    int messages = 0;
    int in_turn = 1;                // messages that go in one turn
    std::int32_t dependencies = 0;  // arrivals at the sender in earlier steps
    std::int32_t arrival = 0;       // number of its first at the receiver
    std::uint32_t gathered = 0;     // a bit for every dimension that is gathered before
  };
  struct Move {
    NodeId src = topology::kNoNode;
    NodeId dst = topology::kNoNode;
    int port = 0;  // out-port of the sender
    Pieces pieces;
    std::int32_t arrival = 0;
    NodeId parent = topology::kNoNode;
    NodeList children;
  };

  Program(const Topology& topology, const LatencyModel& model, std::span<const DimensionAlgorithm> algorithms,
          const ChunkPlan& plan)
      : hierarchy_(topology),
        algorithms_(algorithms),
        accelerators_(topology.num_accelerators()),
        pieces_(static_cast<int>(pieces_of_a_chunk(accelerators_, model.rings()))),
        received_by_switch_(algorithms.size(), 0) {
    order_ = plan.reduce_scatter;
    if (order_.empty()) order_.assign(plan.all_gather.rbegin(), plan.all_gather.rend());
    for (const ChunkStage& stage : stages_of(model, plan)) {
      if (model.in_network(stage.dimension)) {
        add_offloaded(stage);
      } else {
        add_steps(stage);
      }
      if (stage.op == Op::kGather || stage.whole) gathered_ |= 1U << stage.dimension;
    }
    moves_.resize(static_cast<std::size_t>(accelerators_) * static_cast<std::size_t>(messages_));
    for (NodeId node = 0; node < accelerators_; ++node) find_moves(node);
    find_families(topology.num_interfaces());
  }

  std::span<const Step> steps() const { return steps_; }
  // Data that comes down is final, but for others' sums of an own part.
  static Op op_of(const Step& step) {
    return step.leg == Leg::kDown && step.stage.whole ? Op::kGather : step.stage.op;
  }
  int pieces() const { return pieces_; }
  int messages() const { return messages_; }
  const Move& move(NodeId accelerator, int message) const { return moves_[place(accelerator, message)]; }
  // The pieces that are an accelerator's own.
  Pieces share(NodeId node) const { return range(node, order_.size()); }

 private:
  void add_steps(const ChunkStage& stage) {
    const DimensionAlgorithm& algorithm = algorithms_[stage.dimension];
    for (int s = 0; s < algorithm.steps(); ++s) {
      const auto runs = static_cast<int>(stage.runs(algorithm.move(stage.op, s, 0, 0).parts));
      const int messages = algorithm.messages() * runs;
      steps_.push_back({stage, Leg::kAcross, s, messages_, messages, runs, received_, received_, gathered_});
      messages_ += messages;
      received_ += messages;
    }
  }

  void add_offloaded(const ChunkStage& stage) {
    const int size = hierarchy_.dimensions()[stage.dimension].size;
    std::int32_t& at_switch = received_by_switch_[stage.dimension];
    // The parts of others lie on either side of an accelerator's own.
    const int others = size > 2 ? 2 : 1;
    const int up = stage.op == Op::kReduce && !stage.whole ? others : 1;
    const int down = stage.op == Op::kGather ? others : 1;
    steps_.push_back({stage, Leg::kUp, 0, messages_, up, up, received_, at_switch});
    at_switch += size * up;
    steps_.push_back({stage, Leg::kDown, 1, messages_ + up, down, down, at_switch, received_});
    messages_ += up + down;
    received_ += down;
  }

  std::size_t place(NodeId accelerator, int message) const {
    return static_cast<std::size_t>(accelerator) * static_cast<std::size_t>(messages_) +
           static_cast<std::size_t>(message);
  }

  // The pieces that an accelerator still sums after `levels` dimensions of the order.
  Pieces range(NodeId node, std::size_t levels) const {
    Pieces range{0, pieces_};
    for (std::size_t level = 0; level < levels; ++level) {
      range.count /= hierarchy_.dimensions()[order_[level]].size;
      range.first += hierarchy_.coordinate(node, order_[level]) * range.count;
    }
    return range;
  }
  std::size_t level_of(std::size_t dimension) const {
    return static_cast<std::size_t>(std::ranges::find(order_, dimension) - order_.begin());
  }

  void find_moves(NodeId node) {
    for (const Step& step : steps_) {
      for (int m = 0; m < step.messages; ++m) {
        Move& move = moves_[place(node, step.first_message + m)];
        switch (step.leg) {
          case Leg::kAcross:
            send_across(node, step, m, move);
            break;
          case Leg::kUp:
            send_up(node, step, m, move);
            break;
          case Leg::kDown:
            send_down(node, step, m, move);
            break;
        }
      }
    }
  }

  void send_across(NodeId node, const Step& step, int message, Move& move) const {
    const DimensionAlgorithm& algorithm = algorithms_[step.stage.dimension];
    const auto& dimension = hierarchy_.dimensions()[step.stage.dimension];
    const int number = message / step.in_turn;  // of the algorithm's messages
    const auto there = algorithm.move(step.stage.op, step.in_stage, number,
                                      hierarchy_.coordinate(node, step.stage.dimension));
    move.src = node;
    move.dst = hierarchy_.peer(node, step.stage.dimension, there.peer);
    move.port = dimension.first_port + there.port;
    move.arrival = step.arrival + message;
    if (step.stage.op == Op::kReduce) {
      const Pieces held = range(node, level_of(step.stage.dimension));
      const std::int32_t part = held.count / dimension.size;
      move.pieces = {held.first + there.first_part * part, there.parts * part};
    } else {
      std::vector<Pieces> places;
      find_places({0, pieces_}, 0, {node, &step, there.first_part, there.parts}, places);
      move.pieces = places.at(static_cast<std::size_t>(message % step.in_turn));
    }
    if (!algorithm.sends_halves()) return;
    move.pieces.count /= 2;
    if (number % 2 != 0) move.pieces.first += move.pieces.count;
  }

  // The parts that an accelerator sends in a step of an all-gather.
  struct Sent {
    NodeId node;
    const Step* step;
    int first_part;
    int parts;
  };

  bool all_gathered(const Step& step, std::size_t from_level) const {
    return std::all_of(order_.begin() + static_cast<std::ptrdiff_t>(from_level), order_.end(),
                       [&](std::size_t d) { return ((step.gathered >> d) & 1U) != 0; });
  }

  // The places that its pieces lie in, of those in `within`, which the coordinates of the first `level`
  // dimensions of the order have led to.
  void find_places(Pieces within, std::size_t level, const Sent& sent, std::vector<Pieces>& places) const {
    if (all_gathered(*sent.step, level)) {
      places.push_back(within);
      return;
    }
    const std::size_t d = order_[level];
    const int size = hierarchy_.dimensions()[d].size;
    const std::int32_t width = within.count / size;
    const int self = hierarchy_.coordinate(sent.node, d);
    int first = ((sent.step->gathered >> d) & 1U) != 0 ? 0 : self;
    int end = ((sent.step->gathered >> d) & 1U) != 0 ? size : self + 1;
    if (d == sent.step->stage.dimension) {
      first = sent.first_part;
      end = first + sent.parts;
      if (all_gathered(*sent.step, level + 1)) {
        places.push_back({within.first + first * width, sent.parts * width});
        return;
      }
    }
    for (int x = first; x < end; ++x) find_places({within.first + x * width, width}, level + 1, sent, places);
  }

  void send_up(NodeId node, const Step& step, int message, Move& move) const {
    const std::size_t d = step.stage.dimension;
    move.src = node;
    move.dst = hierarchy_.switch_of(node, d);
    move.port = hierarchy_.dimensions()[d].first_port;
    move.arrival = step.arrival + hierarchy_.coordinate(node, d) * step.messages + message;
    const std::size_t level = level_of(d);
    if (step.stage.op == Op::kGather) {
      move.pieces = range(node, level + 1);
    } else {
      move.pieces = step.stage.whole ? range(node, level) : of_others(node, step, message);
    }
  }

  void send_down(NodeId node, const Step& step, int message, Move& move) const {
    const std::size_t d = step.stage.dimension;
    move.src = hierarchy_.switch_of(node, d);
    move.dst = node;
    move.port = hierarchy_.coordinate(node, d);
    move.arrival = step.arrival + message;
    const std::size_t level = level_of(d);
    if (step.stage.op == Op::kGather) {
      move.pieces = of_others(node, step, message);
    } else {
      move.pieces = range(node, step.stage.whole ? level : level + 1);
    }
  }

  // The pieces that the others of the group have, or are to have, in the messages of a step.
  Pieces of_others(NodeId node, const Step& step, int message) const {
    const Pieces group = range(node, level_of(step.stage.dimension));
    const Pieces own = range(node, level_of(step.stage.dimension) + 1);
    Pieces before{group.first, own.first - group.first};
    Pieces behind{own.end(), group.end() - own.end()};
    // Neither of two messages may be empty: accelerators at the ends cut what there is in two.
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

  // The nodes whose data each message has taken up: the arrivals of earlier steps that overlap it.
  void find_families(int nodes) {
    struct Arrival {
      std::int32_t number;
      NodeId src;
      Op op;
      Pieces pieces;
    };
    std::vector<std::vector<Arrival>> arrivals(static_cast<std::size_t>(nodes));
    const auto for_each = [this](auto visit) {
      for (const Step& step : steps_) {
        for (NodeId node = 0; node < accelerators_; ++node) {
          for (int m = 0; m < step.messages; ++m) visit(step, moves_[place(node, step.first_message + m)]);
        }
      }
    };
    for_each([&](const Step& step, const Move& move) {
      arrivals[static_cast<std::size_t>(move.dst)].push_back(
          {move.arrival, move.src, op_of(step), move.pieces});
    });
    for (auto& inbox : arrivals) std::ranges::sort(inbox, {}, &Arrival::number);
    for_each([&](const Step& step, Move& move) {
      NodeId stored_from = topology::kNoNode;
      std::vector<NodeId> added;
      const auto& inbox = arrivals[static_cast<std::size_t>(move.src)];
      for (const Arrival& arrival : std::span(inbox).first(static_cast<std::size_t>(step.dependencies))) {
        if (!arrival.pieces.overlap(move.pieces)) continue;
        if (arrival.op == Op::kGather) {
          stored_from = arrival.src;
          added.clear();
        } else {
          added.push_back(arrival.src);
        }
      }
      const bool adds = op_of(step) == Op::kReduce;
      move.parent = adds ? move.dst : stored_from;
      if (!adds) added = {move.dst};
      move.children.assign(added.begin(), added.end());
    });
  }

  Hierarchy hierarchy_;
  std::span<const DimensionAlgorithm> algorithms_;
  int accelerators_;
  int pieces_;
  DimensionOrder order_;
  std::vector<Step> steps_;
  int messages_ = 0;                              // of an accelerator, with those that come down to it
  std::int32_t received_ = 0;                     // by an accelerator
  std::uint32_t gathered_ = 0;                    // a bit for every dimension
  std::vector<std::int32_t> received_by_switch_;  // [dimension]
  std::vector<Move> moves_;                       // [accelerator * messages + message]
};

MessageSizes size_messages(const Program& program, int accelerators, Bytes chunk, Bytes element) {
  MessageSizes sizes;
  sizes.bounds = piece_bounds(program.pieces(), chunk, element);
  for (int m = 0; m < program.messages(); ++m) {
    Bytes& longest = sizes.longest.emplace_back(0);
    for (NodeId node = 0; node < accelerators; ++node) {
      longest = std::max(longest, sizes.bytes(program.move(node, m).pieces));
    }
  }
  return sizes;
}

class OffloadBuilder {
 public:
  OffloadBuilder(const Topology& topology, const CompileRequest& request, std::span<const ChunkPlan> plans,
                 IntraDimension policy)
      : topology_(topology),
        request_(request),
        hierarchy_(topology),
        model_(latency_model(dimension_models(topology), request)),
        policy_(policy) {
    for (std::size_t d = 0; d < hierarchy_.dimensions().size(); ++d) {
      const auto& dimension = hierarchy_.dimensions()[d];
      algorithms_.emplace_back(d, dimension.kind, dimension.size, dimension.in_network,
                               model_.dimension(d).method);
    }
    for (const ChunkPlan& plan : plans) add_chunk(plan);
  }

  Schedule build(const std::string& algorithm) {
    Schedule schedule;
    schedule.algorithm = algorithm;
    schedule.collective = request_.collective;
    schedule.size = request_.size;
    schedule.element = request_.element;
    schedule.flows = static_cast<int>(chunks_.size());
    schedule.numbered_arrivals = true;
    schedule.adders = topology_.num_interfaces() - topology_.num_accelerators();
    schedule.nodes.resize(static_cast<std::size_t>(topology_.num_interfaces()));
    const auto dimensions = static_cast<int>(hierarchy_.dimensions().size());
    const auto turns = order_turns(pipeline(), request_.ni_ports + dimensions);
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      for (int port = 0; port < request_.ni_ports; ++port) {
        tables(schedule, node).emplace_back(table(node, turns[static_cast<std::size_t>(port)]));
      }
    }
    for (std::size_t d = 0; d < hierarchy_.dimensions().size(); ++d) {
      const auto down = static_cast<std::size_t>(request_.ni_ports) + d;
      if (hierarchy_.dimensions()[d].in_network) fill_switches(schedule, d, turns[down]);
    }
    for (const NodeTables& node : schedule.nodes) {
      for (const Table& port : node.ports) {
        schedule.steps = std::max(schedule.steps, static_cast<int>(port.size()));
      }
    }
    schedule.routes = std::move(routes_);
    if (request_.collective != Collective::kAllReduce) schedule.shares = find_shares();
    return schedule;
  }

 private:
  struct Placed {
    const Program* program;
    const MessageSizes* sizes;
    Chunk data;
  };

  static std::vector<Table>& tables(Schedule& schedule, NodeId node) {
    return schedule.nodes[static_cast<std::size_t>(node)].ports;
  }

  void add_chunk(const ChunkPlan& plan) {
    if (model_.adds_in_network() && !goes_back(plan)) {
      throw UnsupportedError(
          fmt::format("where switches add, a chunk that is reduce-scattered over the dimensions {} is "
                      "all-gathered the same way back, not over {}",
                      fmt::join(plan.reduce_scatter, ", "), fmt::join(plan.all_gather, ", ")));
    }
    const auto known = programs_.try_emplace(std::pair{plan.reduce_scatter, plan.all_gather}, topology_,
                                             model_, algorithms_, plan);
    const Program& program = known.first->second;
    require_enough_data(program.pieces(), plan.bytes, request_.element);
    auto& sizes = sizes_[{&program, plan.bytes}];
    if (sizes.bounds.empty()) {
      sizes = size_messages(program, topology_.num_accelerators(), plan.bytes, request_.element);
    }
    const Bytes address = chunks_.empty() ? 0 : chunks_.back().data.address + chunks_.back().data.bytes;
    chunks_.push_back({&program, &sizes, {address, plan.bytes}});
  }

  int ni_port(int out_port) const { return out_port % request_.ni_ports; }

  std::vector<std::vector<PipelineStep>> pipeline() const {
    std::vector<std::vector<PipelineStep>> steps;
    for (const Placed& chunk : chunks_) {
      auto& of_chunk = steps.emplace_back();
      for (const Program::Step& step : chunk.program->steps()) {
        of_chunk.push_back(pipeline_step(chunk, step));
      }
    }
    return steps;
  }

  // A message that comes down to an accelerator waits at its port of the switch, whose turns are those of a
  // port behind the accelerator's own.
  PipelineStep pipeline_step(const Placed& chunk, const Program::Step& step) const {
    const std::size_t d = step.stage.dimension;
    const int size = hierarchy_.dimensions()[d].size;
    PipelineStep result;
    result.starts_operation = step.in_stage == 0;
    result.latency = model_.step_latency(d);
    result.rank = intra_dimension_rank(
        policy_, step.stage.op, chunk.data.bytes / topology_.num_accelerators() * step.stage.shares, size);
    if (step.leg != Leg::kAcross) {
      const OffloadedShares shares = offloaded_shares(step.stage, size);
      const bool up = step.leg == Leg::kUp;
      result.messages.push_back(
          {up ? ni_port(hierarchy_.dimensions()[d].first_port) : request_.ni_ports + static_cast<int>(d),
           model_.shares_transfer(d, chunk.data.bytes, up ? shares.up : shares.down)});
      return result;
    }
    for (int m = step.first_message; m < step.first_message + step.messages; m += step.in_turn) {
      Femtoseconds serialization = 0;
      for (int run = m; run < m + step.in_turn; ++run) {
        serialization += model_.serialization(d, chunk.sizes->longest[static_cast<std::size_t>(run)]);
      }
      result.messages.push_back({ni_port(chunk.program->move(0, m).port), serialization});
    }
    return result;
  }

  // The switches of a dimension send to every accelerator in the same turns.
  void fill_switches(Schedule& schedule, std::size_t d, std::span<const PipelineTurn> turns) {
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      auto& ports = tables(schedule, hierarchy_.switch_of(node, d));
      ports.resize(static_cast<std::size_t>(hierarchy_.dimensions()[d].size));
      ports[static_cast<std::size_t>(hierarchy_.coordinate(node, d))] = table(node, turns);
    }
  }

  // The table of an accelerator's port, or of the switch's port that leads to it.
  std::vector<TableEntry> table(NodeId node, std::span<const PipelineTurn> turns) {
    std::vector<TableEntry> entries;
    entries.reserve(turns.size());
    for (const PipelineTurn& turn : turns) {
      const Placed& chunk = chunks_[static_cast<std::size_t>(turn.chunk)];
      const Program::Step& step = chunk.program->steps()[static_cast<std::size_t>(turn.step)];
      for (int m = turn.message * step.in_turn; m < (turn.message + 1) * step.in_turn; ++m) {
        TableEntry& entry = entries.emplace_back(entry_of(chunk, step, node, step.first_message + m));
        entry.flow = turn.chunk;
        entry.step = static_cast<std::int32_t>(entries.size());
      }
    }
    return entries;
  }

  TableEntry entry_of(const Placed& chunk, const Program::Step& step, NodeId node, int message) {
    const Program::Move& move = chunk.program->move(node, message);
    TableEntry entry;
    entry.op = Program::op_of(step);
    entry.parent = move.parent;
    entry.children = move.children;
    entry.dependencies = step.dependencies;
    entry.arrival = move.arrival;
    entry.address = chunk.data.address + chunk.sizes->bounds[static_cast<std::size_t>(move.pieces.first)];
    entry.bytes = chunk.sizes->bytes(move.pieces);
    // Messages to and from switches differ from accelerator to accelerator, and none waits for another's.
    if (step.leg == Leg::kAcross) {
      const Bytes longest = chunk.sizes->longest[static_cast<std::size_t>(message)];
      entry.padding = static_cast<std::int32_t>(longest - entry.bytes);
    }
    entry.route = route_of(step, move);
    return entry;
  }

  std::int32_t route_of(const Program::Step& step, const Program::Move& move) {
    topology::VcRange vcs{0, 1};
    if (request_.routing != nullptr) vcs.end = static_cast<std::uint8_t>(request_.routing->num_vcs());
    std::vector<int> ports{move.port};
    const ChannelId first = topology_.out_channels(move.src)[static_cast<std::size_t>(move.port)];
    ChannelId last = first;
    if (topology_.channel(first).dst != move.dst) {
      ports.push_back(hierarchy_.coordinate(move.dst, step.stage.dimension));
      last = topology_.out_channels(topology_.channel(first).dst)[static_cast<std::size_t>(ports.back())];
    }
    // A switch has an NI port for every accelerator.
    const int arrives_at = topology_.channel(last).dst_port;
    const int ejection = step.leg == Leg::kUp ? arrives_at : ni_port(arrives_at);
    ports.push_back(static_cast<int>(topology_.out_channels(move.dst).size()) + ejection);
    const auto [known, added] = route_indices_.try_emplace(ports, static_cast<std::int32_t>(routes_.size()));
    if (added) {
      auto& route = routes_.emplace_back();
      for (const int port : ports)
        route.push_back({.out_port = static_cast<std::uint16_t>(port), .vcs = vcs});
    }
    return known->second;
  }

  std::vector<Share> find_shares() const {
    const auto n = static_cast<std::size_t>(topology_.num_accelerators());
    std::vector<Share> shares(chunks_.size() * n);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const auto& [program, sizes, data] = chunks_[c];
      for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
        const Pieces own = program->share(node);
        shares[c * n + static_cast<std::size_t>(own.first / own.count)] =
            share_of(node, own, *sizes, data.address);
      }
    }
    return shares;
  }

  const Topology& topology_;
  const CompileRequest& request_;
  Hierarchy hierarchy_;
  LatencyModel model_;
  IntraDimension policy_;
  std::vector<DimensionAlgorithm> algorithms_;
  std::map<std::pair<DimensionOrder, DimensionOrder>, Program> programs_;  // by the orders
  std::map<std::pair<const Program*, Bytes>, MessageSizes> sizes_;
  std::vector<Placed> chunks_;
  std::map<std::vector<int>, std::int32_t> route_indices_;  // by the ports they take
  std::vector<topology::Route> routes_;
};

}  // namespace

bool goes_back(const ChunkPlan& plan) {
  return plan.reduce_scatter.empty() || plan.all_gather.empty() ||
         std::ranges::equal(plan.reduce_scatter.rbegin(), plan.reduce_scatter.rend(), plan.all_gather.begin(),
                            plan.all_gather.end());
}

Schedule compile_offloaded(const Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, std::span<const ChunkPlan> plans,
                           IntraDimension policy) {
  return OffloadBuilder(topology, request, plans, policy).build(algorithm);
}

}  // namespace coppice::schedule
