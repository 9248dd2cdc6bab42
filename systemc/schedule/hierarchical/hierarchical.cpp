#include "schedule/hierarchical/hierarchical.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/machine_memory.h"
#include "schedule/compile/effort.h"
#include "schedule/hierarchical/chunk_planning.h"
#include "schedule/hierarchical/themis.h"
#include "schedule/hierarchical/turn_order.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/tables/dimension_algorithm.h"
#include "schedule/tables/program_tables.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using topology::Hierarchy;
using topology::Topology;

class HierarchicalBuilder {
 public:
  HierarchicalBuilder(const Topology& topology, const CompileRequest& request,
                      std::span<const ChunkPlan> plans, IntraDimension policy)
      : topology_(topology),
        request_(request),
        hierarchy_(topology),
        lanes_(topology::lanes_of(topology)),
        model_(latency_model(dimension_models(topology), request)),
        policy_(policy),
        pieces_(static_cast<int>(pieces_of_a_chunk(topology.num_accelerators(), model_.rings()))) {
    for (std::size_t d = 0; d < hierarchy_.dimensions().size(); ++d) {
      const auto& dimension = hierarchy_.dimensions()[d];
      algorithms_.emplace_back(d, dimension.kind, dimension.size, dimension.in_network,
                               model_.dimension(d).method);
      widest_ = std::max(widest_, static_cast<std::size_t>(dimension.size));
    }
    for (const auto& lanes : lanes_) most_lanes_ = std::max(most_lanes_, lanes.size());
    for (const ChunkPlan& plan : plans) place_chunk(plan);
    alike_ = !model_.adds_in_network() && std::ranges::all_of(plans, goes_back);
  }

  Schedule build(const std::string& algorithm) {
    Schedule schedule;
    schedule.algorithm = algorithm;
    schedule.collective = request_.collective;
    schedule.size = request_.size;
    schedule.element = request_.element;
    schedule.flows = static_cast<int>(tables_.chunks.size());
    schedule.numbered_arrivals = true;
    schedule.adders = topology_.num_interfaces() - topology_.num_accelerators();
    require_memory_for_turns(algorithm);
    if (request_.collective != Collective::kAllReduce) schedule.shares = find_shares();
    for (const auto& port : order_turns(pipeline(), slots())) {
      auto& slot = tables_.slots.emplace_back();
      for (const PipelineTurn& turn : port) add_turn(turn, slot);
      schedule.steps = std::max(schedule.steps, static_cast<int>(slot.size()));
    }
    find_routes();
    schedule.routes = std::move(routes_);
    fill_tables(schedule);
    return schedule;
  }

 private:
  using Leg = ChunkProgram::Leg;

  // Throws UnsupportedError if the steps and messages of all chunks do not fit into memory. Both are stored
  // twice: by chunk and in the order of turns.
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
    if (!shared()) needed += messages * topology_.num_accelerators() * static_cast<Bytes>(sizeof(TableEntry));
    const Bytes available = machine_memory();
    if (needed <= available) return;
    throw UnsupportedError(fmt::format(
        "ordering {}'s {} messages per accelerator needs {:.2f} GB, but only {:.2f} GB are available: use "
        "fewer chunks",
        algorithm, messages, static_cast<double>(needed) / 1e9, static_cast<double>(available) / 1e9));
  }

  // Whether all accelerators share one table.
  bool shared() const { return alike_ && topology_.num_accelerators() > request_.pattern_beyond; }

  void place_chunk(const ChunkPlan& plan) {
    if (model_.adds_in_network() && !goes_back(plan)) {
      throw UnsupportedError(
          fmt::format("with in-network reduction, a chunk that is reduce-scattered over dimensions {} must "
                      "be all-gathered in the reverse order, not over {}",
                      fmt::join(plan.reduce_scatter, ", "), fmt::join(plan.all_gather, ", ")));
    }
    require_enough_data(pieces_, plan.bytes, request_.element);
    const ProgramTables::ChunkWays ways{plan.reduce_scatter, plan.all_gather,
                                        tables_.chunks.size() % most_lanes_};
    if (!tables_.programs.contains(ways)) add_program(ways, plan);
    const ChunkProgram& program = tables_.programs.at(ways);
    auto& sizes = tables_.sizes[{&program, plan.bytes}];
    if (sizes.bounds.empty()) sizes = size_messages(program, plan.bytes, request_.element);
    tables_.chunks.push_back({&program, &sizes, end_of_data_});
    bytes_.push_back(plan.bytes);
    end_of_data_ += plan.bytes;
  }

  void add_program(const ProgramTables::ChunkWays& ways, const ChunkPlan& plan) {
    DimensionOrder order = plan.reduce_scatter;
    if (order.empty()) order.assign(plan.all_gather.rbegin(), plan.all_gather.rend());
    const std::vector<ChunkStage> timed = stages_of(model_, plan);
    const std::vector<ProgramStage> stages(timed.begin(), timed.end());
    tables_.programs.try_emplace(ways, hierarchy_, algorithms_, topology_.num_accelerators(), pieces_, order,
                                 stages);
  }

  int ni_port(int out_port) const { return out_port % request_.ni_ports; }

  // The lane that `number` selects in a dimension; nullptr if the dimension has no switches.
  const topology::Lane* lane_of(std::size_t d, std::size_t number) const {
    return lanes_[d].empty() ? nullptr : &lanes_[d][number % lanes_[d].size()];
  }

  // The number of an accelerator's ports. If switches reduce, each dimension adds a slot for the ports of its
  // switches.
  int slots() const {
    return request_.ni_ports +
           (model_.adds_in_network() ? static_cast<int>(hierarchy_.dimensions().size()) : 0);
  }
  // Returns the slot of the switch ports that lead to accelerators in a dimension. All switches have their
  // ports in the same order.
  int down_slot(std::size_t dimension) const { return request_.ni_ports + static_cast<int>(dimension); }

  void add_turn(const PipelineTurn& turn, std::vector<ProgramTables::Turn>& slot) const {
    const ChunkProgram& program = *tables_.chunks[static_cast<std::size_t>(turn.chunk)].program;
    const ChunkProgram::Step& step = program.steps()[static_cast<std::size_t>(turn.step)];
    const int first = step.first_message + turn.message * step.in_turn;
    for (int m = first; m < first + step.in_turn; ++m) slot.push_back({turn.chunk, m});
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
    const std::size_t d = step.stage.dimension;
    const int size = hierarchy_.dimensions()[d].size;
    const Bytes bytes = bytes_[chunk];
    PipelineStep result;
    result.starts_operation = step.in_stage == 0;
    result.latency = model_.step_latency(d);
    result.rank = intra_dimension_rank(policy_, step.stage.op,
                                       bytes / topology_.num_accelerators() * step.stage.shares, size);
    if (step.leg != Leg::kAcross) {
      const OffloadedShares shares = offloaded_shares(step.stage, size);
      const bool up = step.leg == Leg::kUp;
      result.messages.push_back({up ? ni_port(hierarchy_.dimensions()[d].first_port) : down_slot(d),
                                 model_.shares_transfer(d, bytes, up ? shares.up : shares.down)});
      return result;
    }
    const auto& [program, sizes, address] = tables_.chunks[chunk];
    for (int m = step.first_message; m < step.first_message + step.messages; m += step.in_turn) {
      Femtoseconds serialization = 0;
      for (int run = m; run < m + step.in_turn; ++run) {
        serialization += model_.serialization(d, sizes->longest[static_cast<std::size_t>(run)]);
      }
      const topology::Lane* const lane = lane_of(d, chunk % most_lanes_);
      const int port = lane != nullptr ? lane->out_port : program->out_port(m);
      result.messages.push_back({ni_port(port), serialization});
    }
    return result;
  }

  void find_routes() {
    for (auto& [ways, program] : tables_.programs) {
      for (int m = 0; m < program.messages(); ++m) {
        const ChunkProgram::Step& step = program.step_of(m);
        const topology::Lane* const lane = lane_of(step.stage.dimension, std::get<2>(ways));
        const topology::Lane own = lane != nullptr ? *lane : topology::Lane{program.out_port(m), 0};
        for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
          program.set_route(node, m, route_of(node, step, own, program.move(node, m).dst));
        }
      }
    }
  }

  // Routes contain only port numbers. Nodes can share them, because all accelerators number their ports in
  // the same way, as do all switches of a dimension.
  std::int32_t route_of(NodeId node, const ChunkProgram::Step& step, const topology::Lane& lane, NodeId dst) {
    const std::size_t d = step.stage.dimension;
    const bool across = step.leg == Leg::kAcross;
    const bool down = step.leg == Leg::kDown;
    const int coordinate = hierarchy_.coordinate(across ? dst : node, d);
    const int port = down ? hierarchy_.dimensions()[d].first_port : lane.out_port;
    auto& known = route_indices_[static_cast<std::size_t>(step.leg)];
    const std::size_t key = static_cast<std::size_t>(port) * widest_ + static_cast<std::size_t>(coordinate);
    if (known.size() <= key) known.resize(key + 1, -1);
    if (known[key] >= 0) return known[key];
    known[key] = static_cast<std::int32_t>(routes_.size());
    topology::VcRange vcs{0, 1};
    if (request_.routing != nullptr) vcs.end = static_cast<std::uint8_t>(request_.routing->num_vcs());
    topology::Route route;
    NodeId at = down ? hierarchy_.switch_of(node, d) : node;
    int arrives_at = 0;
    const auto hop = [&](int through) {
      route.push_back({.out_port = static_cast<std::uint16_t>(through), .vcs = vcs});
    };
    for (int leave_by = down ? coordinate : lane.out_port; at != dst;
         leave_by = lane.first_switch_port + coordinate) {
      hop(leave_by);
      const topology::Channel& channel =
          topology_.channel(topology_.out_channels(at)[static_cast<std::size_t>(leave_by)]);
      at = channel.dst;
      arrives_at = channel.dst_port;
    }
    // A reducing switch has an NI port for every accelerator.
    const int ejection = step.leg == Leg::kUp ? arrives_at : ni_port(arrives_at);
    hop(static_cast<int>(topology_.out_channels(dst).size()) + ejection);
    routes_.push_back(std::move(route));
    return known[key];
  }

  void fill_tables(Schedule& schedule) {
    const int accelerators = topology_.num_accelerators();
    const Translations moves =
        alike_ ? ProgramTables::moves_of(hierarchy_, accelerators, algorithms_) : Translations({1}, {0});
    const auto tables = std::make_shared<const ProgramTables>(moves, std::move(tables_));
    schedule.nodes.resize(static_cast<std::size_t>(topology_.num_interfaces()));
    for (NodeId node = 0; node < accelerators; ++node) {
      auto& ports = schedule.nodes[static_cast<std::size_t>(node)].ports;
      for (int port = 0; port < request_.ni_ports; ++port) {
        Table& table = ports.emplace_back(tables, static_cast<std::size_t>(port), node);
        if (!alike_) {
          table = entries_of(*tables, port, node);
        } else if (!shared()) {
          table.entries();
        }
      }
      for (std::size_t d = 0; d < hierarchy_.dimensions().size(); ++d) {
        if (!hierarchy_.dimensions()[d].in_network) continue;
        auto& down = schedule.nodes[static_cast<std::size_t>(hierarchy_.switch_of(node, d))].ports;
        down.resize(static_cast<std::size_t>(hierarchy_.dimensions()[d].size));
        down[static_cast<std::size_t>(hierarchy_.coordinate(node, d))] =
            entries_of(*tables, down_slot(d), node);
      }
    }
  }

  static std::vector<TableEntry> entries_of(const ProgramTables& tables, int slot, NodeId node) {
    std::vector<TableEntry> entries(tables.size(static_cast<std::size_t>(slot)));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      tables.read(static_cast<std::size_t>(slot), i, node, entries[i]);
    }
    return entries;
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
  std::vector<std::vector<topology::Lane>> lanes_;  // [dimension]
  std::size_t most_lanes_ = 1;
  LatencyModel model_;
  IntraDimension policy_;
  int pieces_;  // number of pieces per chunk
  std::vector<DimensionAlgorithm> algorithms_;
  Bytes end_of_data_ = 0;
  std::vector<Bytes> bytes_;  // [chunk]
  ProgramTables::Spec tables_;
  // Whether the tables of all accelerators have the same pattern and no switch has tables.
  bool alike_ = false;
  std::size_t widest_ = 0;                                  // size of the largest dimension
  std::array<std::vector<std::int32_t>, 3> route_indices_;  // [leg][out-port * widest + coordinate]
  std::vector<topology::Route> routes_;
};

}  // namespace

Schedule compile_plans(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
                       std::span<const ChunkPlan> plans, IntraDimension policy) {
  return HierarchicalBuilder(topology, request, plans, policy).build(algorithm);
}

namespace {

double seconds_of_chunks(const Topology& topology, const CompileRequest& request) {
  if (topology.dimension_kinds().empty()) return 0;  // compile() fails immediately for such a topology
  return request.chunks * seconds_at(topology, 0.02, 1);
}

double seconds_of_search(const Topology& topology, const CompileRequest& request) {
  return seconds_of_chunks(topology, request) + 0.008 * request.chunks;
}

// Trials of the number of chunks, the scheduler, and the algorithm of switches. The direct algorithm waits
// less often than halving and doubling but sends more messages.
std::vector<AutomaticTrial> trials_of_chunks() {
  std::vector<AutomaticTrial> trials;
  const auto add = [&](int turn, ChunkScheduler scheduler, bool direct, std::initializer_list<int> chunks) {
    const bool searches = scheduler == ChunkScheduler::kThemisPlus;
    for (const int count : chunks) {
      trials.push_back({.turn = turn,
                        .chunks = count,
                        .seconds = searches ? seconds_of_search : seconds_of_chunks,
                        .first = true,
                        .scheduler = scheduler,
                        .direct_in_switches = direct});
    }
  };
  add(9, ChunkScheduler::kBaseline, false, {1});
  add(10, ChunkScheduler::kBaseline, false, {4});
  add(11, ChunkScheduler::kBaseline, false, {32, 64});
  add(11, ChunkScheduler::kBaseline, true, {1, 4, 16, 32, 64});
  for (const bool direct : {false, true}) {
    add(11, ChunkScheduler::kThemis, direct, {16, 64});
    add(11, ChunkScheduler::kThemisPlus, direct, {4, 16, 64});
  }
  return trials;
}

}  // namespace

AlgorithmInfo HierarchicalCompiler::info() {
  return {.name = "hierarchical",
          .summary =
              "chunks pipelined over the dimensions of a hierarchy, in the order set by collective.scheduler",
          .chunking = Chunking::kChosen,
          .over_dimensions = true,
          .trials = trials_of_chunks()};
}

// With several dimensions, chunks fill a pipeline, for which Themis uses 64 chunks (Sec. 5.3). In a single
// dimension, chunks only hide the latency of steps, for which a few chunks suffice: their number is halved as
// long as this is not expected to be slower.
Schedule HierarchicalCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  const LatencyModel model = latency_model(dimension_models(topology), request);
  const auto compile_in = [&](int count) {
    CompileRequest given = request;
    given.chunks = count;
    const ChunkSchedule chunks = plan_chunks(model, given);
    return compile_plans(topology, request, info().name, chunks.plans, chunks.intra_dimension);
  };
  if (request.chunks != kAutomaticChunks) return compile_in(request.chunks);
  int count = chunk_count(model, request);
  Schedule best = compile_in(count);
  if (model.dimensions() == 1 && count > 1) {
    Femtoseconds least = expected_time(topology, request, best);
    for (int fewer = count / 2; fewer >= 1; fewer /= 2) {
      Schedule schedule = compile_in(fewer);
      const Femtoseconds time = expected_time(topology, request, schedule, least);
      if (time > least) break;
      least = time;
      count = fewer;
      best = std::move(schedule);
    }
  }
  best.chunks = count;
  return best;
}

}  // namespace coppice::schedule
