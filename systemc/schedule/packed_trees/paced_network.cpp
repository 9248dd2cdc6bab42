#include "schedule/packed_trees/paced_network.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "base/index.h"
#include "routing/glpk_program.h"
#include "schedule/packed_trees/flow_graph.h"

namespace coppice::schedule {
namespace {

using topology::Channel;
using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

// The maximum number of columns times accelerators; 32 accelerators in boxes on rails need half of it.
constexpr int kMostSize = 20'000;
constexpr int kMostRounds = 300;
// Flows are computed in units of the fastest channel's bandwidth divided by kUnits.
constexpr double kUnits = 1e9;
// A cut is violated if it lacks more than this share of the rate.
constexpr double kTolerance = 1e-6;
// The cost of a unit of capacity. It is low enough not to reduce the rate, and prevents useless capacity.
constexpr double kCost = 1e-6;

// The capacity of a channel for messages of one pace.
struct Part {
  ChannelId channel = 0;
  std::int64_t pace = 0;  // in bytes per second
  int src = 0;            // vertices
  int dst = 0;
};

class Program {
 public:
  Program(const Topology& topology, Roots roots, TreeUse use, std::span<const ChannelId> twins)
      : topology_(topology), roots_(roots), use_(use), twins_(twins) {
    std::set<std::int64_t> paces;
    for (const Channel& channel : topology.channels()) {
      paces.insert(channel.bandwidth.bytes_per_second);
      fastest_ = std::max(fastest_, static_cast<double>(channel.bandwidth.bytes_per_second));
    }
    paces_.assign(paces.begin(), paces.end());
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology.channels().size()); ++id) {
      const Channel& channel = topology.channel(id);
      const bool direct = topology.is_accelerator(channel.src) && topology.is_accelerator(channel.dst);
      for (std::size_t p = 0; p < paces_.size(); ++p) {
        const std::int64_t own = channel.bandwidth.bytes_per_second;
        if (paces_[p] > own || (direct && paces_[p] != own)) continue;
        parts_.push_back({id, paces_[p], vertex(channel.src, p), vertex(channel.dst, p)});
      }
    }
    root_columns_ = roots.shares == Roots::Shares::kFree ? topology.num_accelerators() : 1;
  }

  std::optional<PacedNetwork> solve() {
    if (columns() > kMostSize / topology_.num_accelerators()) return std::nullopt;
    set_up();
    glp_smcp parameters = routing::quiet_simplex();
    parameters.meth = GLP_DUALP;
    for (int round = 0; round < kMostRounds; ++round) {
      if (glp_simplex(program_.get(), &parameters) != 0 || glp_get_status(program_.get()) != GLP_OPT)
        return std::nullopt;
      if (!add_violated_cuts()) return network();
    }
    return std::nullopt;
  }

 private:
  int columns() const { return root_columns_ + static_cast<int>(parts_.size()); }
  int column(std::size_t part) const { return root_columns_ + static_cast<int>(part) + 1; }
  double value(std::size_t part) const { return glp_get_col_prim(program_.get(), column(part)); }
  int vertices() const {
    return topology_.num_accelerators() + topology_.num_switches() * static_cast<int>(paces_.size());
  }
  int vertex(NodeId node, std::size_t pace) const {
    const NodeId n = topology_.num_accelerators();
    return node < n ? node : n + static_cast<int>(pace) * topology_.num_switches() + (node - n);
  }

  // The share of column `root` (counted from 0) in the data of which an accelerator is the root.
  double share(NodeId node, int root) const {
    switch (roots_.shares) {
      case Roots::Shares::kFree:
        return node == root ? 1 : 0;
      case Roots::Shares::kOne:
        return node == roots_.one ? 1 : 0;
      case Roots::Shares::kEqual:
        return 1.0 / topology_.num_accelerators();
    }
    return 0;
  }
  double rooted_at(NodeId node) const {
    double sum = 0;
    for (int root = 0; root < root_columns_; ++root)
      sum += share(node, root) * glp_get_col_prim(program_.get(), root + 1);
    return sum;
  }

  // Whether a message over the part occupies the port at channel `port`.
  bool occupies(const Part& part, ChannelId port) const {
    return part.channel == port || (use_ == TreeUse::kBoth && twins_[index(part.channel)] == port);
  }

  void set_up() {
    program_ = routing::make_program(GLP_MAX);
    glp_add_cols(program_.get(), columns());
    for (int c = 1; c <= columns(); ++c) {
      glp_set_col_bnds(program_.get(), c, GLP_LO, 0, 0);
      glp_set_obj_coef(program_.get(), c, c <= root_columns_ ? 1 : -kCost);
    }
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology_.channels().size()); ++id) {
      const Channel& channel = topology_.channel(id);
      const auto bandwidth = static_cast<double>(channel.bandwidth.bytes_per_second);
      Row capacity;
      Row port;
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (!occupies(parts_[p], id)) continue;
        capacity.emplace_back(column(p), 1);
        port.emplace_back(column(p), fastest_ / static_cast<double>(parts_[p].pace));
      }
      add_row(capacity, GLP_UP, bandwidth / fastest_);
      if (topology_.is_accelerator(use_ == TreeUse::kUp ? channel.dst : channel.src))
        add_row(port, GLP_UP, 1);
    }
    for (int v = topology_.num_accelerators(); v < vertices(); ++v) {
      Row balance;
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (parts_[p].src == v) balance.emplace_back(column(p), 1);
        if (parts_[p].dst == v) balance.emplace_back(column(p), -1);
      }
      if (!balance.empty()) add_row(balance, GLP_FX, 0);
    }
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      std::vector<bool> inside(index(vertices()), false);
      inside[index(node)] = true;
      add_cut(inside);
      inside.flip();
      add_cut(inside);
    }
  }

  using Row = std::vector<std::pair<int, double>>;  // (column, coefficient)
  void add_row(const Row& row, int kind, double bound) {
    std::vector<int> columns{0};
    std::vector<double> values{0};
    for (const auto& [at, coefficient] : row) {
      columns.push_back(at);
      values.push_back(coefficient);
    }
    const int number = glp_add_rows(program_.get(), 1);
    glp_set_row_bnds(program_.get(), number, kind, bound, bound);
    glp_set_mat_row(program_.get(), number, static_cast<int>(row.size()), columns.data(), values.data());
  }

  // The data of all roots inside must leave the set.
  void add_cut(const std::vector<bool>& inside) {
    Row row;
    for (int root = 0; root < root_columns_; ++root) {
      double sum = 0;
      for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
        if (inside[index(node)]) sum += share(node, root);
      }
      if (sum > 0) row.emplace_back(root + 1, -sum);
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (inside[index(parts_[p].src)] && !inside[index(parts_[p].dst)]) row.emplace_back(column(p), 1);
    }
    add_row(row, GLP_LO, 0);
  }

  // Adds the minimum cuts between the roots and each accelerator that cannot receive all data; returns false
  // if there are none.
  bool add_violated_cuts() {
    const int source = vertices();
    FlowGraph graph(source + 1);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      graph.change_capacity(parts_[p].src, parts_[p].dst, std::llround(value(p) * kUnits));
    FlowGraph::Amount all = 0;
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      const FlowGraph::Amount here = std::llround(rooted_at(node) * kUnits);
      graph.change_capacity(source, node, here);
      all += here;
    }
    const auto enough = static_cast<FlowGraph::Amount>((1 - kTolerance) * static_cast<double>(all));
    bool added = false;
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      if (graph.max_flow(source, node, all) >= enough) continue;
      std::vector<bool> inside(index(vertices()), false);
      for (int v = 0; v < vertices(); ++v) inside[index(v)] = graph.reached(v);
      add_cut(inside);
      added = true;
    }
    return added;
  }

  PacedNetwork network() const {
    PacedNetwork paced{Topology(topology::Kind::kFile, {}, topology_.num_accelerators(),
                                vertices() - topology_.num_accelerators()),
                       {},
                       0};
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::int64_t rate = std::llround(value(p) * fastest_);
      if (value(p) < kTolerance || rate == 0) continue;
      paced.network.add_channel(parts_[p].src, parts_[p].dst, {rate},
                                topology_.channel(parts_[p].channel).latency);
      paced.channels.push_back(parts_[p].channel);
    }
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node)
      paced.bytes_per_second += rooted_at(node) * fastest_;
    return paced;
  }

  const Topology& topology_;
  Roots roots_;
  TreeUse use_;
  std::span<const ChannelId> twins_;
  double fastest_ = 0;
  std::vector<std::int64_t> paces_;
  std::vector<Part> parts_;
  // Columns: the data of the roots (one column per accelerator if roots are free), then the parts.
  int root_columns_ = 1;
  routing::GlpkProgram program_;
};

}  // namespace

std::optional<PacedNetwork> divide_by_pace(const Topology& topology, Roots roots, TreeUse use,
                                           std::span<const ChannelId> twins) {
  if (topology.num_accelerators() < 2 || topology.channels().empty()) return std::nullopt;
  return Program(topology, roots, use, twins).solve();
}

}  // namespace coppice::schedule
