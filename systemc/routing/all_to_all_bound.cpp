#include "routing/all_to_all_bound.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "base/index.h"
#include "routing/concurrent_flow.h"
#include "routing/glpk_program.h"
#include "topology/routing/distances.h"

namespace coppice::routing {
namespace {

using topology::Channel;
using topology::NodeId;
using topology::Topology;

// Limits on the rounds of approximate_all_to_all(), whose time grows with the number of accelerators times
// the number of channels. All rounds take about a third of a second.
constexpr std::size_t kMostRounds = 320;
constexpr std::size_t kFewestRounds = 20;
constexpr std::size_t kRoundsTimesSize = 20'971'520;
constexpr std::size_t kMostKinds = 16;

// Tries several bounds and keeps the highest.
class Search {
 public:
  Search(const Topology& topology, Bytes block) : topology_(topology), block_(block) {}

  AllToAllBound run() {
    try_cuts();
    constexpr int kMostPairs = 1024;
    const std::size_t channels = topology_.channels().size();
    if (topology_.num_accelerators() <= kMostPairs) {
      try_lengths(std::vector<double>(channels, 1.0));
      try_kinds_of_channels();
    }
    const std::size_t size = channels * index(topology_.num_accelerators());
    if (size <= kMostSolved) {
      try_lengths(best_lengths());
    } else if (const auto rounds = std::min(kMostRounds, kRoundsTimesSize / size); rounds >= kFewestRounds) {
      try_lengths(approximate_all_to_all(topology_, static_cast<int>(rounds)).lengths);
    }
    return std::move(best_);
  }

 private:
  void try_cuts() {
    const auto all = index(topology_.num_nodes());
    const int n = topology_.num_accelerators();
    for (NodeId node = 0; node < n; ++node) {
      std::vector<bool> inside(all, false);
      inside[index(node)] = true;
      try_cut(inside);
      inside.flip();
      try_cut(std::move(inside));
    }
    int stride = 1;
    for (const int width : topology_.dims()) {
      if (width < 1 || stride > n / width) break;
      for (int from = 0; from + 1 < width; ++from) {
        for (int to = from; to + 1 < width; ++to) {
          std::vector<bool> inside(all, false);
          for (NodeId node = 0; node < n; ++node) {
            const int place = node / stride % width;
            inside[index(node)] = place >= from && place <= to;
          }
          try_cut(std::move(inside));
        }
      }
      stride *= width;
    }
  }

  // Tries the cut as given, and then again with only those switches inside that have neighbouring
  // accelerators, all of which are inside.
  void try_cut(std::vector<bool> inside) {
    const NodeId n = topology_.num_accelerators();
    std::vector<std::vector<NodeId>> groups(2);
    for (NodeId node = 0; node < n; ++node) groups[inside[index(node)] ? 0 : 1].push_back(node);
    const double bytes =
        static_cast<double>(groups[0].size() * groups[1].size()) * static_cast<double>(block_);
    for (const bool with_switches : {false, true}) {
      if (with_switches) add_own_switches(inside);
      double exit = 0;
      for (const Channel& channel : topology_.channels()) {
        if (inside[index(channel.src)] && !inside[index(channel.dst)]) exit += channel.bandwidth.gb_per_s();
      }
      if (exit <= 0 || bytes / exit <= best_.ns) continue;
      best_ = {bytes / exit, groups, {}};
    }
  }

  void add_own_switches(std::vector<bool>& inside) const {
    for (NodeId node = topology_.num_accelerators(); node < topology_.num_nodes(); ++node) {
      bool own = true;
      bool any = false;
      for (const auto id : topology_.out_channels(node)) {
        const NodeId to = topology_.channel(id).dst;
        if (!topology_.is_accelerator(to)) continue;
        any = true;
        own = own && inside[index(to)];
      }
      inside[index(node)] = own && any;
    }
  }

  // Tries a length of 1 for the channels from or to accelerators of one bandwidth, and 0 for all others. On
  // boxes with slower links between them, this proves the bound of the cuts around all boxes.
  void try_kinds_of_channels() {
    std::set<std::pair<std::int64_t, bool>> tried;
    for (const Channel& kind : topology_.channels()) {
      const auto key = [&](const Channel& channel) {
        return std::pair(channel.bandwidth.bytes_per_second,
                         topology_.is_accelerator(channel.src) || topology_.is_accelerator(channel.dst));
      };
      if (tried.size() == kMostKinds || !tried.insert(key(kind)).second) continue;
      std::vector<double> lengths;
      for (const Channel& channel : topology_.channels())
        lengths.push_back(key(channel) == key(kind) ? 1 : 0);
      try_lengths(std::move(lengths));
    }
  }

  void try_lengths(std::vector<double> lengths) {
    if (lengths.empty()) return;
    const double longest = *std::ranges::max_element(lengths);
    if (!(longest > 0)) return;
    for (double& length : lengths) length = std::max(0.0, length / longest);
    const double ns = all_to_all_ns(topology_, block_, lengths);
    // Ignores improvements within rounding errors.
    if (ns > best_.ns * (1 + 1e-9)) best_ = {ns, {}, std::move(lengths)};
  }

  // Solves a linear program for channel lengths y and distances d from every accelerator s to every node v.
  // It maximises the sum of the distances between accelerators, subject to d(s, v) <= d(s, u) + y(e) for
  // every channel e from u to v, and to a limit of 1 on the sum of bandwidths times lengths. Its columns are
  // the lengths, followed by the distances.
  std::vector<double> best_lengths() const {
    const auto& channels = topology_.channels();
    const auto count = static_cast<int>(channels.size());
    const NodeId nodes = topology_.num_nodes();
    const NodeId n = topology_.num_accelerators();
    const GlpkProgram problem = make_program(GLP_MAX);
    glp_add_cols(problem.get(), count + n * nodes);
    const auto distance = [&](NodeId source, NodeId node) { return count + source * nodes + node + 1; };
    for (int column = 1; column <= count; ++column) glp_set_col_bnds(problem.get(), column, GLP_LO, 0, 0);
    for (NodeId source = 0; source < n; ++source) {
      for (NodeId node = 0; node < nodes; ++node) {
        glp_set_col_bnds(problem.get(), distance(source, node), node == source ? GLP_FX : GLP_LO, 0, 0);
        glp_set_obj_coef(problem.get(), distance(source, node), node < n && node != source ? 1 : 0);
      }
    }
    double fastest = 0;
    for (const Channel& channel : channels) fastest = std::max(fastest, channel.bandwidth.gb_per_s());
    if (count == 0 || fastest <= 0) return {};
    GlpkMatrix matrix;
    glp_add_rows(problem.get(), 1 + n * count);
    glp_set_row_bnds(problem.get(), 1, GLP_UP, 0, 1);
    for (int e = 0; e < count; ++e)
      matrix.add(1, e + 1, channels[static_cast<std::size_t>(e)].bandwidth.gb_per_s() / fastest);
    for (NodeId source = 0; source < n; ++source) {
      for (int e = 0; e < count; ++e) {
        const Channel& channel = channels[static_cast<std::size_t>(e)];
        const int row = 2 + source * count + e;
        glp_set_row_bnds(problem.get(), row, GLP_UP, 0, 0);
        matrix.add(row, distance(source, channel.dst), 1);
        matrix.add(row, distance(source, channel.src), -1);
        matrix.add(row, e + 1, -1);
      }
    }
    matrix.load_into(problem.get());
    glp_smcp parameters = quiet_simplex();
    parameters.it_lim = 20'000;  // an intermediate solution yields a weaker but still valid bound
    if (glp_simplex(problem.get(), &parameters) != 0 && glp_get_prim_stat(problem.get()) != GLP_FEAS)
      return {};
    std::vector<double> lengths;
    for (int column = 1; column <= count; ++column)
      lengths.push_back(glp_get_col_prim(problem.get(), column));
    return lengths;
  }

  const Topology& topology_;
  Bytes block_;
  AllToAllBound best_;
};

}  // namespace

double all_to_all_ns(const Topology& topology, Bytes block, std::span<const double> lengths) {
  const topology::Distances distances(topology);
  double sum = 0;
  for (NodeId source = 0; source < topology.num_accelerators(); ++source) {
    const std::vector<double> from_source = distances.of(source, lengths);
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      const double distance = from_source[index(node)];
      if (distance < std::numeric_limits<double>::max()) sum += distance;
    }
  }
  double carried = 0;
  for (std::size_t e = 0; e < topology.channels().size(); ++e) {
    carried += topology.channels()[e].bandwidth.gb_per_s() * lengths[e];
  }
  return carried > 0 ? sum * static_cast<double>(block) / carried : 0;
}

AllToAllBound least_all_to_all(const Topology& topology, Bytes block) {
  return Search(topology, block).run();
}

}  // namespace coppice::routing
