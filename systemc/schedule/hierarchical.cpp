#include "schedule/hierarchical.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "schedule/chunk_pipeline.h"
#include "schedule/dimension_algorithm.h"
#include "schedule/themis.h"
#include "topology/hierarchy.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Hierarchy;
using topology::Hop;
using topology::Topology;

// Consecutive pieces of a chunk.
struct Pieces {
  std::int32_t first = 0;
  std::int32_t count = 0;
  bool overlap(const Pieces& other) const {
    return first < other.first + other.count && other.first < first + count;
  }
};

// What all chunks of one order have in common: the messages of every accelerator, in pieces of the chunk.
class Program {
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
    int port = 0;  // out-port of the sender
    Pieces pieces;
    NodeId parent = topology::kNoNode;
    NodeList children;
  };

  Program(const Hierarchy& hierarchy, std::span<const DimensionAlgorithm> algorithms, int accelerators,
          int pieces, Collective collective, DimensionOrder order)
      : hierarchy_(hierarchy),
        algorithms_(algorithms),
        accelerators_(accelerators),
        pieces_(pieces),
        order_(std::move(order)) {
    const auto levels = static_cast<int>(order_.size());
    for (int level = 0; collective != Collective::kAllGather && level < levels; ++level) {
      add_steps(Op::kReduce, level);
    }
    for (int level = levels; collective != Collective::kReduceScatter && level-- > 0;) {
      add_steps(Op::kGather, level);
    }
    moves_.resize(static_cast<std::size_t>(accelerators) * static_cast<std::size_t>(messages_));
    for (NodeId node = 0; node < accelerators; ++node) find_moves(node);
    find_families();
  }

  std::span<const Step> steps() const { return steps_; }
  int messages() const { return messages_; }
  int pieces() const { return pieces_; }
  const Move& move(NodeId node, int message) const {
    return moves_[static_cast<std::size_t>(node) * static_cast<std::size_t>(messages_) +
                  static_cast<std::size_t>(message)];
  }
  // How many pieces an accelerator holds of a chunk before it goes through a dimension.
  int pieces_before(const Step& step) const {
    return range(0, step.op == Op::kReduce ? step.level : step.level + 1).count;
  }
  // The pieces that are an accelerator's own.
  Pieces share(NodeId node) const { return range(node, static_cast<int>(order_.size())); }

 private:
  void add_steps(Op op, int level) {
    const std::size_t d = order_[static_cast<std::size_t>(level)];
    for (int s = 0; s < algorithms_[d].steps(); ++s) {
      steps_.push_back({d, op, s, level, messages_, algorithms_[d].messages()});
      messages_ += algorithms_[d].messages();
    }
  }

  // What an accelerator still sums after `levels` dimensions of the order.
  Pieces range(NodeId node, int levels) const {
    Pieces range{0, pieces_};
    for (int level = 0; level < levels; ++level) {
      const std::size_t d = order_[static_cast<std::size_t>(level)];
      range.count /= hierarchy_.dimensions()[d].size;
      range.first += hierarchy_.coordinate(node, d) * range.count;
    }
    return range;
  }

  void find_moves(NodeId node) {
    for (const Step& step : steps_) {
      const DimensionAlgorithm& algorithm = algorithms_[step.dimension];
      const auto& dimension = hierarchy_.dimensions()[step.dimension];
      const Pieces held = range(node, step.level);
      const std::int32_t part = held.count / dimension.size;
      for (int m = 0; m < step.messages; ++m) {
        const auto there =
            algorithm.move(step.op, step.in_dimension, m, hierarchy_.coordinate(node, step.dimension));
        Move& move = moves_[static_cast<std::size_t>(node * messages_ + step.first_message + m)];
        move.dst = hierarchy_.peer(node, step.dimension, there.peer);
        move.port = dimension.first_port + there.port;
        move.pieces = {held.first + there.first_part * part, there.parts * part};
        if (!algorithm.sends_halves()) continue;
        move.pieces.count /= 2;
        if (m % 2 != 0) move.pieces.first += move.pieces.count;
      }
    }
  }

  // Whose data each message has taken up: the arrivals of earlier steps that overlap it.
  void find_families() {
    const auto n = static_cast<std::size_t>(accelerators_);
    std::vector<NodeId> source(n * static_cast<std::size_t>(messages_));  // [message * accelerators + dst]
    for (NodeId node = 0; node < accelerators_; ++node) {
      for (int m = 0; m < messages_; ++m) {
        source[static_cast<std::size_t>(m) * n + static_cast<std::size_t>(move(node, m).dst)] = node;
      }
    }
    for (NodeId node = 0; node < accelerators_; ++node) {
      for (const Step& step : steps_) {
        for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
          Move& sent = moves_[static_cast<std::size_t>(node * messages_ + m)];
          for (const Step& earlier : steps_) {
            if (earlier.first_message == step.first_message) break;
            if (earlier.op != step.op) continue;
            for (int e = earlier.first_message; e < earlier.first_message + earlier.messages; ++e) {
              const NodeId from = source[static_cast<std::size_t>(e) * n + static_cast<std::size_t>(node)];
              if (!move(from, e).pieces.overlap(sent.pieces)) continue;
              if (step.op == Op::kReduce) sent.children.push_back(from);
              if (step.op == Op::kGather) sent.parent = from;
            }
          }
          (step.op == Op::kReduce ? sent.parent : sent.children.emplace_back()) = sent.dst;
        }
      }
    }
  }

  const Hierarchy& hierarchy_;
  std::span<const DimensionAlgorithm> algorithms_;
  int accelerators_;
  int pieces_;
  DimensionOrder order_;
  std::vector<Step> steps_;
  int messages_ = 0;         // of an accelerator
  std::vector<Move> moves_;  // [accelerator * messages + message]
};

// A program over a chunk of some size.
struct Sizes {
  std::vector<Bytes> bounds;   // of pieces, from the chunk's address
  std::vector<Bytes> longest;  // [message]: over all accelerators

  Bytes bytes(const Pieces& pieces) const {
    return bounds[static_cast<std::size_t>(pieces.first + pieces.count)] -
           bounds[static_cast<std::size_t>(pieces.first)];
  }
};

Sizes size_messages(const Program& program, int accelerators, Bytes chunk, Bytes element) {
  Sizes sizes;
  const Bytes elements = chunk / element;
  for (int piece = 0; piece <= program.pieces(); ++piece) {
    sizes.bounds.push_back(elements * piece / program.pieces() * element);
  }
  sizes.longest.resize(static_cast<std::size_t>(program.messages()), 0);
  for (NodeId node = 0; node < accelerators; ++node) {
    for (int m = 0; m < program.messages(); ++m) {
      Bytes& longest = sizes.longest[static_cast<std::size_t>(m)];
      longest = std::max(longest, sizes.bytes(program.move(node, m).pieces));
    }
  }
  return sizes;
}

class HierarchicalBuilder {
 public:
  HierarchicalBuilder(const Topology& topology, const CompileRequest& request,
                      std::span<const ChunkPlan> plans, IntraDimension policy)
      : topology_(topology),
        request_(request),
        hierarchy_(topology),
        model_(latency_model(dimension_models(topology), request)),
        policy_(policy) {
    for (std::size_t d = 0; d < hierarchy_.dimensions().size(); ++d) {
      const auto& dimension = hierarchy_.dimensions()[d];
      algorithms_.emplace_back(d, dimension.kind, dimension.size);
      widest_ = std::max(widest_, static_cast<std::size_t>(dimension.size));
    }
    const bool halves = std::ranges::any_of(algorithms_, &DimensionAlgorithm::sends_halves);
    pieces_ = static_cast<int>(pieces_of_a_chunk(topology.num_accelerators(), halves));
    for (const ChunkPlan& plan : plans) {
      const Bytes address = data_.empty() ? 0 : data_.back().address + data_.back().bytes;
      require_enough_data(plan.bytes);
      data_.push_back({address, plan.bytes});
      chunks_.push_back(program_of(reduce_scatter_order(plan)));
    }
  }

  Schedule build(const std::string& algorithm) {
    Schedule schedule;
    schedule.algorithm = algorithm;
    schedule.collective = request_.collective;
    schedule.size = request_.size;
    schedule.element = request_.element;
    schedule.flows = static_cast<int>(chunks_.size());
    schedule.numbered_arrivals = true;
    const auto turns = order_turns(pipeline(), request_.ni_ports);
    for (const auto& port : turns) schedule.steps = std::max(schedule.steps, static_cast<int>(port.size()));
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      NodeTables& tables = schedule.nodes.emplace_back();
      for (const auto& port : turns) tables.ports.push_back(table(node, port));
    }
    schedule.routes = std::move(routes_);
    if (request_.collective != Collective::kAllReduce) schedule.shares = find_shares();
    return schedule;
  }

 private:
  struct Chunked {
    const Program* program;
    const Sizes* sizes;
  };

  void require_enough_data(Bytes chunk) const {
    const Bytes least = pieces_ * request_.element;
    if (chunk >= least) return;
    throw UnsupportedError(
        fmt::format("a chunk of {} pieces needs {} at least, not {}: use fewer chunks or "
                    "more data",
                    pieces_, format_bytes(least), format_bytes(chunk)));
  }

  static DimensionOrder reduce_scatter_order(const ChunkPlan& plan) {
    DimensionOrder back(plan.all_gather.rbegin(), plan.all_gather.rend());
    if (plan.reduce_scatter.empty()) return back;
    if (!back.empty() && back != plan.reduce_scatter) {
      throw UnsupportedError(
          fmt::format("a chunk that is reduce-scattered over the dimensions {} is "
                      "all-gathered the same way back, not over {}",
                      fmt::join(plan.reduce_scatter, ", "), fmt::join(plan.all_gather, ", ")));
    }
    return plan.reduce_scatter;
  }

  Chunked program_of(const DimensionOrder& order) {
    const auto known = programs_.try_emplace(order, hierarchy_, algorithms_, topology_.num_accelerators(),
                                             pieces_, request_.collective, order);
    const Program& program = known.first->second;
    const Bytes bytes = data_[chunks_.size()].bytes;
    auto& sizes = sizes_[{&program, bytes}];
    if (sizes.bounds.empty()) {
      sizes = size_messages(program, topology_.num_accelerators(), bytes, request_.element);
    }
    return {&program, &sizes};
  }

  int ni_port(const Program::Move& move) const { return move.port % request_.ni_ports; }

  std::vector<std::vector<PipelineStep>> pipeline() const {
    std::vector<std::vector<PipelineStep>> steps;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      auto& chunk = steps.emplace_back();
      for (const Program::Step& step : chunks_[c].program->steps()) chunk.push_back(pipeline_step(c, step));
    }
    return steps;
  }

  PipelineStep pipeline_step(std::size_t chunk, const Program::Step& step) const {
    const auto& [program, sizes] = chunks_[chunk];
    PipelineStep result;
    result.starts_operation = step.in_dimension == 0;
    result.latency = model_.step_latency(step.dimension);
    const int accelerators = topology_.num_accelerators();
    const Bytes shares = program->pieces_before(step) / (pieces_ / accelerators);
    result.rank = intra_dimension_rank(policy_, step.op, data_[chunk].bytes / accelerators * shares,
                                       hierarchy_.dimensions()[step.dimension].size);
    for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
      const Program::Move& move = program->move(0, m);
      result.messages.push_back(
          {ni_port(move), model_.serialization(step.dimension, sizes->longest[static_cast<std::size_t>(m)])});
    }
    return result;
  }

  std::vector<TableEntry> table(NodeId node, std::span<const PipelineTurn> turns) {
    std::vector<TableEntry> entries;
    entries.reserve(turns.size());
    for (const PipelineTurn& turn : turns) {
      const auto& [program, sizes] = chunks_[static_cast<std::size_t>(turn.chunk)];
      const Program::Step& step = program->steps()[static_cast<std::size_t>(turn.step)];
      const int message = step.first_message + turn.message;
      const Program::Move& move = program->move(node, message);
      TableEntry& entry = entries.emplace_back();
      entry.op = step.op;
      entry.flow = turn.chunk;
      entry.parent = move.parent;
      entry.children = move.children;
      entry.step = static_cast<std::int32_t>(entries.size());
      entry.dependencies = step.first_message;
      entry.arrival = message;
      entry.address = data_[static_cast<std::size_t>(turn.chunk)].address +
                      sizes->bounds[static_cast<std::size_t>(move.pieces.first)];
      entry.bytes = sizes->bytes(move.pieces);
      entry.padding =
          static_cast<std::int32_t>(sizes->longest[static_cast<std::size_t>(message)] - entry.bytes);
      entry.route = route_of(node, step.dimension, move);
    }
    return entries;
  }

  // Routes name ports only, and ports lie alike at all accelerators.
  std::int32_t route_of(NodeId node, std::size_t d, const Program::Move& move) {
    const int coordinate = hierarchy_.coordinate(move.dst, d);
    const std::size_t key =
        static_cast<std::size_t>(move.port) * widest_ + static_cast<std::size_t>(coordinate);
    if (route_indices_.size() <= key) route_indices_.resize(key + 1, -1);
    if (route_indices_[key] >= 0) return route_indices_[key];
    route_indices_[key] = static_cast<std::int32_t>(routes_.size());
    topology::VcRange vcs{0, 1};
    if (request_.routing != nullptr) vcs.end = static_cast<std::uint8_t>(request_.routing->num_vcs());
    topology::Route route;
    const auto hop = [&](int port) {
      route.push_back({.out_port = static_cast<std::uint16_t>(port), .vcs = vcs});
    };
    hop(move.port);
    const ChannelId first = topology_.out_channels(node)[static_cast<std::size_t>(move.port)];
    if (!topology_.is_accelerator(topology_.channel(first).dst)) hop(coordinate);
    // A message arrives at the in-port of the number of the out-port it left by.
    hop(static_cast<int>(topology_.out_channels(move.dst).size()) + ni_port(move));
    routes_.push_back(std::move(route));
    return route_indices_[key];
  }

  std::vector<Share> find_shares() const {
    const auto n = static_cast<std::size_t>(topology_.num_accelerators());
    std::vector<Share> shares(chunks_.size() * n);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const auto& [program, sizes] = chunks_[c];
      for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
        const Pieces own = program->share(node);
        shares[c * n + static_cast<std::size_t>(own.first / own.count)] = {
            .data = {.address = data_[c].address + sizes->bounds[static_cast<std::size_t>(own.first)],
                     .bytes = sizes->bytes(own)},
            .owner = node};
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
  int pieces_ = 0;  // of a chunk
  std::vector<Chunk> data_;
  std::vector<Chunked> chunks_;
  std::map<DimensionOrder, Program> programs_;
  std::map<std::pair<const Program*, Bytes>, Sizes> sizes_;
  std::size_t widest_ = 0;                   // dimension
  std::vector<std::int32_t> route_indices_;  // [out-port * widest + coordinate of the destination]
  std::vector<topology::Route> routes_;
};

constexpr int kUsualChunks = 64;

}  // namespace

Schedule compile_plans(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
                       std::span<const ChunkPlan> plans, IntraDimension policy) {
  return HierarchicalBuilder(topology, request, plans, policy).build(algorithm);
}

Schedule compile_in_orders(const Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, std::span<const DimensionOrder> orders,
                           IntraDimension policy) {
  const auto chunks = split_into_chunks(request.size, request.element, static_cast<int>(orders.size()));
  std::vector<ChunkPlan> plans;
  for (std::size_t c = 0; c < orders.size(); ++c) {
    plans.push_back(mirrored_plan(request.collective, chunks[c].bytes, orders[c]));
  }
  return compile_plans(topology, request, algorithm, plans, policy);
}

ChunkSchedule plan_chunks(const LatencyModel& model, const CompileRequest& request) {
  const int count = request.chunks == kAutomaticChunks ? kUsualChunks : request.chunks;
  const auto chunks = split_into_chunks(request.size, request.element, count);
  const auto& [scheduler, named] = request.chunk_policy;
  const IntraDimension policy = named.value_or(usual_policy(scheduler));
  switch (scheduler) {
    case ChunkScheduler::kBaseline:
      break;
    case ChunkScheduler::kThemis:
      return {schedule_themis(model, request.collective, chunks), policy};
    case ChunkScheduler::kThemisPlus:
      // One element for every piece.
      return schedule_themis_plus(model, request.collective, chunks,
                                  pieces_of_a_chunk(model.accelerators(), model.rings()) * request.element,
                                  named, {.seed = request.seed});
  }
  return {schedule_baseline(model, request.collective, chunks), policy};
}

LatencyModel latency_model(std::vector<DimensionModel> dimensions, const CompileRequest& request) {
  const bool knows_machine = request.chunk_policy.scheduler == ChunkScheduler::kThemisPlus;
  return LatencyModel(std::move(dimensions), request.element, knows_machine ? request.timing : StepTiming{});
}

Schedule HierarchicalCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  const LatencyModel model = latency_model(dimension_models(topology), request);
  const ChunkSchedule chunks = plan_chunks(model, request);
  return compile_plans(topology, request, "hierarchical", chunks.plans, chunks.intra_dimension);
}

}  // namespace coppice::schedule
