#include "schedule/compile/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/path_virtual_channels.h"
#include "schedule/compile/step_lengths.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Hop;
using topology::Route;
using topology::Topology;
using topology::VcRange;

struct RouteHash {
  std::size_t operator()(const Route& route) const {
    std::size_t hash = route.size();
    for (const Hop& hop : route) {
      const std::size_t word =
          hop.out_port | std::size_t{hop.vcs.begin} << 16 | std::size_t{hop.vcs.end} << 24;
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

VcRange all_vcs(const CompileRequest& request) {
  VcRange vcs{0, 1};
  if (request.routing != nullptr) vcs.end = static_cast<std::uint8_t>(request.routing->num_vcs());
  return vcs;
}

// The number of NI ports of a node. A reducing switch has one NI port per channel.
int ports_at(const Topology& topology, const CompileRequest& request, NodeId node) {
  return topology.is_accelerator(node) ? request.ni_ports
                                       : static_cast<int>(topology.out_channels(node).size());
}

int ejection_port(const Topology& topology, const CompileRequest& request, ChannelId last) {
  const topology::Channel& channel = topology.channel(last);
  return channel.dst_port % ports_at(topology, request, channel.dst);
}

Hop hop_over(const Topology& topology, ChannelId channel, VcRange vcs) {
  return {.out_port = static_cast<std::uint16_t>(topology.channel(channel).src_port), .vcs = vcs};
}

// Appends the last hop, from the router into the network interface, to `route`.
Route ending_with(const Topology& topology, const CompileRequest& request, ChannelId last, Route route) {
  const auto channel_ports = topology.out_channels(topology.channel(last).dst).size();
  const auto eject = channel_ports + static_cast<std::size_t>(ejection_port(topology, request, last));
  route.push_back({.out_port = static_cast<std::uint16_t>(eject), .vcs = all_vcs(request)});
  return route;
}

// The routes of a schedule, without duplicates.
class RouteTable {
 public:
  RouteTable(const Topology& topology, const CompileRequest& request, std::span<const ChannelPath> paths)
      : topology_(topology),
        request_(request),
        paths_(paths),
        channel_routes_(topology.channels().size(), -1),
        path_routes_(paths.size(), -1) {}

  // Returns the index of a send's route. Call this only after all sends have been validated.
  std::int32_t route_of(const Send& send) {
    if (send.channel >= 0) {
      std::int32_t& known = channel_routes_[static_cast<std::size_t>(send.channel)];
      if (known < 0) known = index_of(route_over(topology_, request_, send.channel));
      return known;
    }
    if (send.path < 0) return index_of(routed(send));
    std::int32_t& known = path_routes_[static_cast<std::size_t>(send.path)];
    if (known < 0) known = index_of(along(static_cast<std::size_t>(send.path)));
    return known;
  }

  const Route& operator[](std::int32_t index) const { return routes_[static_cast<std::size_t>(index)]; }
  std::vector<Route> take() { return std::move(routes_); }

 private:
  Route along(std::size_t path) {
    if (!path_vcs_) path_vcs_ = assign_vcs(topology_, paths_, all_vcs(request_).end);
    Route route;
    for (std::size_t i = 0; i < paths_[path].size(); ++i) {
      route.push_back(hop_over(topology_, paths_[path][i], (*path_vcs_)[path][i]));
    }
    return ending_with(topology_, request_, paths_[path].back(), std::move(route));
  }

  Route routed(const Send& send) const {
    if (request_.routing == nullptr) {
      throw UnsupportedError(
          fmt::format("a message from {} to {} on {} needs a routing function because the nodes are "
                      "not neighbours",
                      send.src, send.dst, topology_.name()));
    }
    Route route = make_route(topology_, *request_.routing, send.src, send.dst, 0, 0);
    NodeId at = send.src;
    ChannelId last = -1;
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      last = topology_.out_channels(at)[route[i].out_port];
      at = topology_.channel(last).dst;
    }
    route.back().out_port =
        static_cast<std::uint16_t>(route.back().out_port + ejection_port(topology_, request_, last));
    return route;
  }

  std::int32_t index_of(const Route& route) {
    const auto [place, added] = indices_.try_emplace(route, static_cast<std::int32_t>(routes_.size()));
    if (added) routes_.push_back(route);
    return place->second;
  }

  const Topology& topology_;
  const CompileRequest& request_;
  std::span<const ChannelPath> paths_;
  std::optional<PathVcs> path_vcs_;  // computed when the first path is requested
  std::vector<Route> routes_;
  std::unordered_map<Route, std::int32_t, RouteHash> indices_;
  std::vector<std::int32_t> channel_routes_;
  std::vector<std::int32_t> path_routes_;
};

// The arrivals of one flow at a node in the steps before the current one.
struct Arrivals {
  std::int32_t count = 0;
  NodeId stored_from = topology::kNoNode;  // sender of the last gathered value
  // index of the last reducing send; Builder::previous_reduce_ leads to earlier ones
  std::int32_t last_reduce = -1;
};

class Builder {
 public:
  Builder(const Topology& topology, const CompileRequest& request, std::span<const Chunk> chunks,
          std::span<const Send> sends, std::span<const ChannelPath> paths, IdleSteps idle)
      : topology_(topology),
        request_(request),
        idle_(idle),
        chunks_(chunks),
        sends_(sends),
        paths_(paths),
        routes_(topology, request, paths) {}

  Schedule build(const std::string& algorithm) {
    sort_by_step();
    make_tables();
    find_routes();
    schedule_.algorithm = algorithm;
    schedule_.collective = request_.collective;
    schedule_.size = request_.size;
    schedule_.element = request_.element;
    schedule_.flows = static_cast<int>(chunks_.size());
    reserve_tables();
    fill_tables();
    schedule_.routes = routes_.take();
    return std::move(schedule_);
  }

 private:
  // The reason why a send is invalid; nullptr if it is valid.
  const char* fault_of(const Send& send) const;
  void require_valid(const Send& send) const;
  void sort_by_step();
  void find_routes();
  void make_tables();
  void reserve_tables();
  void fill_tables();
  void fill_step(std::size_t begin, std::size_t end);
  void find_paces();
  Bandwidth pace_of(std::size_t position) const;
  void hold_until(int step, std::size_t table_number, Table& table);
  void record_arrival(std::int32_t index);
  TableEntry make_entry(std::size_t position) const;

  const Send& sorted(std::size_t position) const {
    return sends_[static_cast<std::size_t>(order_[position])];
  }
  std::size_t port_of(std::size_t position) const {
    const Hop first = routes_[route_[position]].front();
    return static_cast<std::size_t>(first.out_port % ports_at(topology_, request_, sorted(position).src));
  }
  std::size_t table_of(std::size_t position) const {
    return first_table_[static_cast<std::size_t>(sorted(position).src)] + port_of(position);
  }
  Arrivals& arrivals(NodeId node, std::int32_t flow) {
    return arrivals_[static_cast<std::size_t>(node) * chunks_.size() + static_cast<std::size_t>(flow)];
  }
  const Arrivals& arrivals(NodeId node, std::int32_t flow) const {
    return arrivals_[static_cast<std::size_t>(node) * chunks_.size() + static_cast<std::size_t>(flow)];
  }

  const Topology& topology_;
  const CompileRequest& request_;
  IdleSteps idle_;
  std::span<const Chunk> chunks_;
  std::span<const Send> sends_;
  std::span<const ChannelPath> paths_;
  RouteTable routes_;
  Schedule schedule_;
  std::vector<std::int32_t> order_;       // indices of sends that carry data, sorted by step
  std::vector<std::int32_t> route_;       // [position in order_]: index of the route
  std::vector<std::size_t> first_table_;  // [node]: index of its first table among the tables of all nodes
  StepLengths lengths_;
  std::vector<StepLengths::Nops> nops_;  // [table]: the port's nops
  std::vector<Arrivals> arrivals_;       // see arrivals()
  // [send]: index of the previous reduce of the same flow to the same node
  std::vector<std::int32_t> previous_reduce_;
};

const char* Builder::fault_of(const Send& send) const {
  const auto has_tables = [&](NodeId node) { return node >= 0 && topology_.has_interface(node); };
  if (!has_tables(send.src) || !has_tables(send.dst)) {
    return "its ends must be accelerators or reducing switches";
  }
  if (send.src == send.dst) return "its ends must differ";
  if (send.flow < 0 || send.flow >= static_cast<int>(chunks_.size())) return "the flow does not exist";
  if (send.step < 1) return "steps are numbered from 1";
  if (send.op == Op::kNop) return "a nop cannot be sent";
  if (send.channel >= static_cast<int>(topology_.channels().size())) return "the channel does not exist";
  if (send.path >= static_cast<int>(paths_.size())) return "the path does not exist";
  if (send.channel < 0 && send.path < 0) return nullptr;
  const std::span<const ChannelId> path = send.channel >= 0
                                              ? std::span(&send.channel, 1)
                                              : std::span(paths_[static_cast<std::size_t>(send.path)]);
  NodeId at = send.src;
  for (const ChannelId id : path) {
    if (topology_.channel(id).src != at) return "its channels are not connected";
    at = topology_.channel(id).dst;
  }
  return at == send.dst ? nullptr : "its channels do not lead to its destination";
}

void Builder::require_valid(const Send& send) const {
  const char* fault = fault_of(send);
  if (fault == nullptr) return;
  throw ModelError(fmt::format("schedule builder: {} of flow {} from {} to {} in step {}: {}",
                               to_string(send.op), send.flow, send.src, send.dst, send.step, fault));
}

void Builder::sort_by_step() {
  std::vector<std::int32_t> starts(2, 0);
  const auto carries_data = [&](const Send& send) {
    return chunks_[static_cast<std::size_t>(send.flow)].bytes > 0;
  };
  for (const Send& send : sends_) {
    require_valid(send);
    if (!carries_data(send)) continue;
    const auto step = static_cast<std::size_t>(send.step);
    if (starts.size() < step + 2) starts.resize(step + 2, 0);
    ++starts[step + 1];
  }
  schedule_.steps = static_cast<int>(starts.size()) - 2;
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  order_.resize(static_cast<std::size_t>(starts.back()));
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    if (!carries_data(sends_[i])) continue;
    order_[static_cast<std::size_t>(starts[static_cast<std::size_t>(sends_[i].step)]++)] =
        static_cast<std::int32_t>(i);
  }
}

void Builder::find_routes() {
  route_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) route_[i] = routes_.route_of(sorted(i));
  if (idle_ == IdleSteps::kNops) find_paces();
}

// The bandwidth of the slowest channel on a message's route.
Bandwidth Builder::pace_of(std::size_t position) const {
  const Route& route = routes_[route_[position]];
  NodeId at = sorted(position).src;
  Bandwidth slowest = topology_.channel(topology_.out_channels(at)[route.front().out_port]).bandwidth;
  for (std::size_t hop = 0; hop + 1 < route.size(); ++hop) {
    const topology::Channel& channel = topology_.channel(topology_.out_channels(at)[route[hop].out_port]);
    slowest = std::min(slowest, channel.bandwidth);
    at = channel.dst;
  }
  return slowest;
}

void Builder::find_paces() {
  const Bandwidth any = topology_.channels().empty() ? Bandwidth{1} : topology_.channels().front().bandwidth;
  const bool alike = std::ranges::all_of(topology_.channels(),
                                         [&](const auto& channel) { return channel.bandwidth == any; });
  std::vector<Bandwidth> slowest(first_table_.back());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Bandwidth pace = alike ? any : pace_of(i);
    lengths_.add(sorted(i).step, chunks_[static_cast<std::size_t>(sorted(i).flow)].bytes, pace);
    Bandwidth& of_port = slowest[table_of(i)];
    of_port = of_port.bytes_per_second == 0 ? pace : std::min(of_port, pace);
  }
  nops_.reserve(slowest.size());
  for (const Bandwidth pace : slowest) nops_.emplace_back(lengths_, pace, request_);
}

// Creates empty tables for all accelerators, and for switches up to the last one that sends or receives a
// message.
void Builder::make_tables() {
  NodeId nodes = topology_.num_accelerators();
  for (const Send& send : sends_) nodes = std::max({nodes, send.src + 1, send.dst + 1});
  schedule_.adders = nodes - topology_.num_accelerators();
  schedule_.nodes.resize(static_cast<std::size_t>(nodes));
  std::size_t tables = 0;
  for (NodeId node = 0; node < nodes; ++node) {
    const int ports = ports_at(topology_, request_, node);
    schedule_.nodes[static_cast<std::size_t>(node)].ports.resize(static_cast<std::size_t>(ports));
    first_table_.push_back(tables);
    tables += static_cast<std::size_t>(ports);
  }
  first_table_.push_back(tables);
}

// Reserves exactly the memory that every table needs. Tables are large, so this halves the total memory.
void Builder::reserve_tables() {
  struct Count {
    std::size_t entries = 0;
    std::int32_t step = 0;
  };
  std::vector<Count> counts(first_table_.back());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Count& count = counts[table_of(i)];
    const std::int32_t step = sorted(i).step;
    count.entries += idle_ == IdleSteps::kNops ? static_cast<std::size_t>(std::max(step - count.step, 1)) : 1;
    count.step = step;
  }
  for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
    std::vector<Table>& ports = schedule_.nodes[node].ports;
    for (std::size_t p = 0; p < ports.size(); ++p) ports[p].reserve(counts[first_table_[node] + p].entries);
  }
}

void Builder::fill_tables() {
  arrivals_.resize(schedule_.nodes.size() * chunks_.size());
  previous_reduce_.resize(sends_.size(), -1);
  for (std::size_t begin = 0; begin < order_.size();) {
    std::size_t end = begin;
    while (end < order_.size() && sorted(end).step == sorted(begin).step) ++end;
    fill_step(begin, end);
    begin = end;
  }
}

void Builder::fill_step(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    auto& table = schedule_.nodes[static_cast<std::size_t>(sorted(i).src)].ports[port_of(i)];
    if (idle_ == IdleSteps::kNops) hold_until(sorted(i).step, table_of(i), table);
    table.push_back(make_entry(i));
  }
  for (std::size_t i = begin; i < end; ++i) record_arrival(order_[i]);
}

void Builder::hold_until(int step, std::size_t table_number, Table& table) {
  for (int idle = table.empty() ? 1 : table.back().step + 1; idle < step; ++idle) {
    TableEntry nop;
    nop.step = idle;
    nop.bytes = nops_[table_number].next(idle);
    table.push_back(std::move(nop));
  }
}

void Builder::record_arrival(std::int32_t index) {
  const Send& send = sends_[static_cast<std::size_t>(index)];
  Arrivals& here = arrivals(send.dst, send.flow);
  ++here.count;
  if (send.op == Op::kGather) {
    here.stored_from = send.src;
    here.last_reduce = -1;  // a store overwrites everything added before
  } else {
    previous_reduce_[static_cast<std::size_t>(index)] = here.last_reduce;
    here.last_reduce = index;
  }
}

TableEntry Builder::make_entry(std::size_t position) const {
  const Send& send = sorted(position);
  const Chunk& chunk = chunks_[static_cast<std::size_t>(send.flow)];
  const Arrivals& here = arrivals(send.src, send.flow);
  TableEntry entry;
  entry.op = send.op;
  entry.flow = send.flow;
  entry.step = send.step;
  entry.dependencies = here.count;
  entry.address = chunk.address;
  entry.bytes = chunk.bytes;
  entry.route = route_[position];
  if (send.op == Op::kGather) {
    entry.parent = here.stored_from;
    entry.children = {send.dst};
  } else {
    entry.parent = send.dst;
    for (std::int32_t i = here.last_reduce; i >= 0; i = previous_reduce_[static_cast<std::size_t>(i)]) {
      entry.children.push_back(sends_[static_cast<std::size_t>(i)].src);
    }
    std::ranges::reverse(entry.children);
  }
  return entry;
}

}  // namespace

topology::Route route_over(const topology::Topology& topology, const CompileRequest& request,
                           topology::ChannelId channel) {
  return ending_with(topology, request, channel, {hop_over(topology, channel, all_vcs(request))});
}

Schedule build_schedule(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, std::span<const Chunk> chunks,
                        std::span<const Send> sends, std::span<const ChannelPath> paths, IdleSteps idle) {
  require_memory(algorithm, static_cast<std::int64_t>(sends.size()), machine_memory());
  return Builder(topology, request, chunks, sends, paths, idle).build(algorithm);
}

}  // namespace coppice::schedule
