#include "schedule/hierarchical/hierarchical.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/machine_memory.h"
#include "schedule/hierarchical/chunk_planning.h"
#include "schedule/hierarchical/offload.h"
#include "schedule/hierarchical/themis.h"
#include "schedule/hierarchical/turn_order.h"
#include "schedule/tables/dimension_algorithm.h"
#include "schedule/tables/program_tables.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Hierarchy;
using topology::Hop;
using topology::Topology;

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
      algorithms_.emplace_back(d, dimension.kind, dimension.size, false, model_.dimension(d).method);
      widest_ = std::max(widest_, static_cast<std::size_t>(dimension.size));
    }
    const bool halves = std::ranges::any_of(algorithms_, &DimensionAlgorithm::sends_halves);
    pieces_ = static_cast<int>(pieces_of_a_chunk(topology.num_accelerators(), halves));
    for (const ChunkPlan& plan : plans) {
      const Bytes address = data_.empty() ? 0 : data_.back().address + data_.back().bytes;
      require_enough_data(pieces_, plan.bytes, request_.element);
      data_.push_back({address, plan.bytes});
      place_chunk(reduce_scatter_order(plan));
    }
  }

  Schedule build(const std::string& algorithm) {
    Schedule schedule;
    schedule.algorithm = algorithm;
    schedule.collective = request_.collective;
    schedule.size = request_.size;
    schedule.element = request_.element;
    schedule.flows = static_cast<int>(tables_.chunks.size());
    schedule.numbered_arrivals = true;
    require_memory_for_turns(algorithm);
    const auto turns = order_turns(pipeline(), request_.ni_ports);
    if (request_.collective != Collective::kAllReduce) schedule.shares = find_shares();
    for (const auto& port : turns) {
      schedule.steps = std::max(schedule.steps, static_cast<int>(port.size()));
      auto& slot = tables_.slots.emplace_back();
      slot.reserve(port.size());
      for (const PipelineTurn& turn : port) slot.push_back(table_turn(turn));
    }
    find_routes();
    schedule.routes = std::move(routes_);
    fill_tables(schedule);
    return schedule;
  }

 private:
  // Every chunk's steps and messages, in order and before that.
  void require_memory_for_turns(const std::string& algorithm) const {
    std::int64_t steps = 0;
    std::int64_t messages = 0;
    for (const auto& [program, sizes, address] : tables_.chunks) {
      steps += std::ssize(program->steps());
      messages += program->messages();
    }
    const std::int64_t of_message =
        sizeof(PipelineMessage) + sizeof(PipelineTurn) + sizeof(ProgramTables::Turn);
    Bytes needed = steps * static_cast<Bytes>(sizeof(PipelineStep)) + messages * of_message;
    const int accelerators = topology_.num_accelerators();
    if (accelerators <= request_.pattern_beyond)
      needed += messages * accelerators * static_cast<Bytes>(sizeof(TableEntry));
    const Bytes available = machine_memory();
    if (needed <= available) return;
    throw UnsupportedError(fmt::format(
        "{}'s {} messages of an accelerator take {:.2f} GB while they are put in order; {:.2f} GB are left: "
        "take fewer "
        "chunks",
        algorithm, messages, static_cast<double>(needed) / 1e9, static_cast<double>(available) / 1e9));
  }

  static DimensionOrder reduce_scatter_order(const ChunkPlan& plan) {
    if (!plan.reduce_scatter.empty()) return plan.reduce_scatter;
    return {plan.all_gather.rbegin(), plan.all_gather.rend()};
  }

  void place_chunk(const DimensionOrder& order) {
    const auto known = tables_.programs.try_emplace(
        order, hierarchy_, algorithms_, topology_.num_accelerators(), pieces_, request_.collective, order);
    const ChunkProgram& program = known.first->second;
    const Chunk& data = data_.back();
    auto& sizes = tables_.sizes[{&program, data.bytes}];
    if (sizes.bounds.empty()) sizes = size_messages(program, data.bytes, request_.element);
    tables_.chunks.push_back({&program, &sizes, data.address});
  }

  int ni_port(int out_port) const { return out_port % request_.ni_ports; }

  ProgramTables::Turn table_turn(const PipelineTurn& turn) const {
    const ChunkProgram& program = *tables_.chunks[static_cast<std::size_t>(turn.chunk)].program;
    const ChunkProgram::Step& step = program.steps()[static_cast<std::size_t>(turn.step)];
    return {turn.chunk, step.first_message + turn.message};
  }

  std::vector<std::vector<PipelineStep>> pipeline() const {
    std::vector<std::vector<PipelineStep>> steps;
    for (std::size_t c = 0; c < tables_.chunks.size(); ++c) {
      auto& chunk = steps.emplace_back();
      for (const auto& step : tables_.chunks[c].program->steps()) chunk.push_back(pipeline_step(c, step));
    }
    return steps;
  }

  PipelineStep pipeline_step(std::size_t chunk, const ChunkProgram::Step& step) const {
    const auto& [program, sizes, address] = tables_.chunks[chunk];
    PipelineStep result;
    result.starts_operation = step.in_dimension == 0;
    result.latency = model_.step_latency(step.dimension);
    const int accelerators = topology_.num_accelerators();
    const Bytes shares = program->pieces_before(step) / (pieces_ / accelerators);
    result.rank = intra_dimension_rank(policy_, step.op, data_[chunk].bytes / accelerators * shares,
                                       hierarchy_.dimensions()[step.dimension].size);
    for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
      result.messages.push_back(
          {ni_port(program->out_port(m)),
           model_.serialization(step.dimension, sizes->longest[static_cast<std::size_t>(m)])});
    }
    return result;
  }

  void find_routes() {
    for (auto& [order, program] : tables_.programs) {
      for (int m = 0; m < program.messages(); ++m) {
        const std::size_t d = program.step_of(m).dimension;
        for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
          program.set_route(node, m, route_of(node, d, program.out_port(m), program.move(node, m).dst));
        }
      }
    }
  }

  void fill_tables(Schedule& schedule) {
    const int accelerators = topology_.num_accelerators();
    const bool shared = accelerators > request_.pattern_beyond;
    const std::size_t ports = tables_.slots.size();
    const auto tables = std::make_shared<const ProgramTables>(
        ProgramTables::moves_of(hierarchy_, accelerators, algorithms_), std::move(tables_));
    for (NodeId node = 0; node < accelerators; ++node) {
      NodeTables& of_node = schedule.nodes.emplace_back();
      for (std::size_t port = 0; port < ports; ++port) {
        Table& table = of_node.ports.emplace_back(tables, port, node);
        if (!shared) table.entries();
      }
    }
  }

  // Routes name ports only, and ports lie alike at all accelerators.
  std::int32_t route_of(NodeId node, std::size_t d, int out_port, NodeId dst) {
    const int coordinate = hierarchy_.coordinate(dst, d);
    const std::size_t key =
        static_cast<std::size_t>(out_port) * widest_ + static_cast<std::size_t>(coordinate);
    if (route_indices_.size() <= key) route_indices_.resize(key + 1, -1);
    if (route_indices_[key] >= 0) return route_indices_[key];
    route_indices_[key] = static_cast<std::int32_t>(routes_.size());
    topology::VcRange vcs{0, 1};
    if (request_.routing != nullptr) vcs.end = static_cast<std::uint8_t>(request_.routing->num_vcs());
    topology::Route route;
    const auto hop = [&](int port) {
      route.push_back({.out_port = static_cast<std::uint16_t>(port), .vcs = vcs});
    };
    hop(out_port);
    const ChannelId first = topology_.out_channels(node)[static_cast<std::size_t>(out_port)];
    if (!topology_.is_accelerator(topology_.channel(first).dst)) hop(coordinate);
    // A message arrives at the in-port of the number of the out-port it left by.
    hop(static_cast<int>(topology_.out_channels(dst).size()) + ni_port(out_port));
    routes_.push_back(std::move(route));
    return route_indices_[key];
  }

  std::vector<Share> find_shares() const {
    const auto n = static_cast<std::size_t>(topology_.num_accelerators());
    std::vector<Share> shares(tables_.chunks.size() * n);
    for (std::size_t c = 0; c < tables_.chunks.size(); ++c) {
      const auto& [program, sizes, address] = tables_.chunks[c];
      for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
        const Pieces own = program->share(node);
        shares[c * n + static_cast<std::size_t>(own.first / own.count)] =
            share_of(node, own, *sizes, address);
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
  ProgramTables::Spec tables_;
  std::size_t widest_ = 0;                   // dimension
  std::vector<std::int32_t> route_indices_;  // [out-port * widest + coordinate of the destination]
  std::vector<topology::Route> routes_;
};

}  // namespace

Schedule compile_plans(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
                       std::span<const ChunkPlan> plans, IntraDimension policy) {
  if (!topology.in_network().empty() || !std::ranges::all_of(plans, goes_back)) {
    return compile_offloaded(topology, request, algorithm, plans, policy);
  }
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

AlgorithmInfo HierarchicalCompiler::info() {
  return {.name = "hierarchical",
          .summary = "chunks in a pipeline over the dimensions of a hierarchy, as collective.scheduler says",
          .chunking = Chunking::kChosen,
          .over_dimensions = true,
          .trials = {{.turn = 9, .most_accelerators = 1024},
                     {.turn = 10, .chunks = 4, .most_accelerators = 1024},
                     {.turn = 11, .chunks = 32, .most_accelerators = 1024}}};
}

Schedule HierarchicalCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  const LatencyModel model = latency_model(dimension_models(topology), request);
  const ChunkSchedule chunks = plan_chunks(model, request);
  Schedule schedule = compile_plans(topology, request, info().name, chunks.plans, chunks.intra_dimension);
  if (request.chunks == kAutomaticChunks) schedule.chunks = chunk_count(model, request);
  return schedule;
}

}  // namespace coppice::schedule
