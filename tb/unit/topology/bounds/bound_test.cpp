#include "topology/bounds/bound.h"

#include <glpk.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <memory>

#include "random_topology.h"
#include "sample_links.h"
#include "topology/networks/hierarchy.h"

namespace coppice::topology {
namespace {

constexpr Bytes kMebibyte = 1 << 20;
constexpr std::int64_t kLink = kSampleLink.bandwidth.bytes_per_second;

// A linear program for the maximum rate of all-reduces, in which each accelerator reduces and broadcasts a
// share of arbitrary size. Each channel divides its bandwidth between partial sums on their way to the roots
// and results on their way back. By Edmonds' theorem, all broadcasts fit if and only if, for each
// accelerator, the flow of all shares to this accelerator fits. The same holds for sums with all channels
// reversed.
class FlowProgram {
 public:
  explicit FlowProgram(const Topology& topology)
      : topology_(topology), program_(glp_create_prob(), &glp_delete_prob) {
    glp_set_obj_dir(program_.get(), GLP_MAX);
    rate_ = glp_add_cols(program_.get(), 1);
    glp_set_col_bnds(program_.get(), rate_, GLP_LO, 0, 0);
    glp_set_obj_coef(program_.get(), rate_, 1);
    shares_ = add_columns(topology.num_accelerators());
    std::vector<std::pair<int, double>> sum{{rate_, -1}};
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) sum.emplace_back(shares_ + node, 1);
    add_row(sum, GLP_FX, 0);
    const auto channels = static_cast<int>(topology.channels().size());
    const int up = add_columns(channels);
    const int down = add_columns(channels);
    for (int c = 0; c < channels; ++c) {
      const double bandwidth = topology.channel(c).bandwidth.gb_per_s();
      add_row({{up + c, 1}, {down + c, 1}}, GLP_UP, bandwidth);
    }
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      add_flow(node, down, 1);
      add_flow(node, up, -1);
    }
  }

  double gb_per_s() {
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    EXPECT_EQ(glp_simplex(program_.get(), &control), 0);
    EXPECT_EQ(glp_get_status(program_.get()), GLP_OPT);
    return glp_get_obj_val(program_.get());
  }

 private:
  int add_columns(int count) {
    const int first = glp_add_cols(program_.get(), count);
    for (int c = first; c < first + count; ++c) glp_set_col_bnds(program_.get(), c, GLP_LO, 0, 0);
    return first;
  }

  void add_row(const std::vector<std::pair<int, double>>& terms, int type, double bound) {
    const int row = glp_add_rows(program_.get(), 1);
    glp_set_row_bnds(program_.get(), row, type, bound, bound);
    std::vector<int> columns{0};
    std::vector<double> factors{0};
    for (const auto& [column, factor] : terms) {
      columns.push_back(column);
      factors.push_back(factor);
    }
    glp_set_mat_row(program_.get(), row, static_cast<int>(terms.size()), columns.data(), factors.data());
  }

  // Adds the constraint that all shares can flow from their owners to `sink` within the capacities in the
  // columns from `capacity` on.
  void add_flow(NodeId sink, int capacity, int way) {
    const auto channels = static_cast<int>(topology_.channels().size());
    const int flow = add_columns(channels);
    for (int c = 0; c < channels; ++c) add_row({{flow + c, 1}, {capacity + c, -1}}, GLP_UP, 0);
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      if (node == sink) continue;  // the balance of the sink follows from the others
      std::vector<std::pair<int, double>> balance{{shares_ + node, 1}};
      for (const ChannelId id : topology_.in_channels(node)) balance.emplace_back(flow + id, way);
      for (const ChannelId id : topology_.out_channels(node)) balance.emplace_back(flow + id, -way);
      add_row(balance, GLP_FX, 0);
    }
  }

  const Topology& topology_;
  std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> program_;
  int rate_ = 0;
  int shares_ = 0;
};

RC_GTEST_PROP(LeastAllReduceTime, EqualsTheProgramOfFlowsWhereLinksAreSymmetric, ()) {
  const Topology topology = random_symmetric_topology();
  const double expected = static_cast<double>(kMebibyte) / FlowProgram(topology).gb_per_s();
  const double found = least_all_reduce_time(topology, kMebibyte).ns();
  RC_ASSERT(std::abs(found - expected) < 1e-6 * expected);
}

// Without switches, the linear program never beats the bound, even if channels differ.
RC_GTEST_PROP(LeastAllReduceTime, IsNoLongerThanTheProgramOfFlows, ()) {
  Topology topology(Kind::kFile, {}, *rc::gen::inRange(2, 7), 0);
  const int accelerators = topology.num_accelerators();
  for (NodeId node = 0; node < accelerators; ++node) {
    topology.add_channel(node, (node + 1) % accelerators, random_bandwidth(), 0);
  }
  for (int extra = *rc::gen::inRange(0, 12); extra > 0; --extra) {
    const NodeId src = *rc::gen::inRange(0, accelerators);
    const NodeId dst = *rc::gen::inRange(0, accelerators);
    if (src != dst) topology.add_channel(src, dst, random_bandwidth(), 0);
  }
  const double program = static_cast<double>(kMebibyte) / FlowProgram(topology).gb_per_s();
  RC_ASSERT(least_all_reduce_time(topology, kMebibyte).ns() <= program * (1 + 1e-9));
}

double mebibyte_ns(const Topology& topology) {
  return least_all_reduce_time(topology, kMebibyte).ns();
}

// Reversing all channels exchanges the roles of partial sums and results, so the bound stays the same.
RC_GTEST_PROP(LeastAllReduceTime, IsTheSameWithAllChannelsReversed, ()) {
  const Topology topology = random_topology();
  Topology reversed(Kind::kFile, {}, topology.num_accelerators(), topology.num_switches());
  for (const Channel& channel : topology.channels()) {
    reversed.add_channel(channel.dst, channel.src, channel.bandwidth, channel.latency);
  }
  const double there = least_all_reduce_time(topology, kMebibyte).ns();
  const double back = least_all_reduce_time(reversed, kMebibyte).ns();
  RC_ASSERT(std::abs(there - back) <= 1e-9 * there);
}

TEST(LeastAllReduceTime, HasTheClosedFormOfMeshesPathsAndTori) {
  EXPECT_DOUBLE_EQ(mebibyte_ns(sample_mesh({4, 4})), 65536.0 * 15 / 24);
  EXPECT_DOUBLE_EQ(mebibyte_ns(sample_mesh({8, 8})), 65536.0 * 63 / 112);
  EXPECT_DOUBLE_EQ(mebibyte_ns(sample_torus({4, 4})), 30720);
  EXPECT_DOUBLE_EQ(mebibyte_ns(sample_torus({8, 8})), 32256);
  for (const int length : {2, 3, 8, 100}) EXPECT_DOUBLE_EQ(mebibyte_ns(sample_mesh({length})), 65536);
}

// The bound must not be twice the all-gather's cut bound: the accelerator with the slow link need not own any
// data, so schedules can be up to 72% faster than that.
TEST(LeastAllReduceTime, OfASwitchWithOneSlowLinkUsesThatLinkOnce) {
  Topology topology(Kind::kFile, {}, 8, 1);
  for (NodeId node = 0; node < 8; ++node) {
    const Bandwidth bandwidth{node == 5 ? kLink / 10 : kLink};
    topology.add_channel(node, 8, bandwidth, 0);
    topology.add_channel(8, node, bandwidth, 0);
  }
  const LeastTime least = least_all_reduce_time(topology, kMebibyte);
  EXPECT_DOUBLE_EQ(least.ns(), 655360);
  EXPECT_EQ(least.groups, (std::vector<std::vector<NodeId>>{{5}, {0, 1, 2, 3, 4, 6, 7}}));
}

TEST(LeastAllReduceTime, OfAStarIsThatOfOneLink) {
  Topology star(Kind::kFile, {}, 5, 0);
  for (NodeId leaf = 1; leaf < 5; ++leaf) {
    star.add_channel(0, leaf, {kLink}, 0);
    star.add_channel(leaf, 0, {kLink}, 0);
  }
  EXPECT_DOUBLE_EQ(mebibyte_ns(star), 65536);
}

// In a one-way ring, each share's partial sum and its result both traverse all links except one.
TEST(LeastAllReduceTime, CountsOneWayChannels) {
  Topology ring(Kind::kFile, {}, 4, 0);
  for (NodeId node = 0; node < 4; ++node) ring.add_channel(node, (node + 1) % 4, {kLink}, 0);
  EXPECT_DOUBLE_EQ(mebibyte_ns(ring), 65536.0 * 6 / 4);
  // The narrow channel alone determines the bound, even though the opposite channel is much wider.
  Topology pair(Kind::kFile, {}, 2, 0);
  pair.add_channel(0, 1, {kLink}, 0);
  pair.add_channel(1, 0, {100 * kLink}, 0);
  EXPECT_DOUBLE_EQ(mebibyte_ns(pair), 65536);
}

TEST(LeastAllReduceTime, OfASwitchThatAddsUsesEachLinkOnce) {
  const auto hierarchy = [](bool adds) {
    return make_hierarchy(std::vector<DimensionSpec>{
        {.kind = DimensionKind::kSwitch, .size = 8, .bandwidth = {kLink}, .in_network = adds}});
  };
  EXPECT_DOUBLE_EQ(mebibyte_ns(hierarchy(true)), 65536);
  EXPECT_DOUBLE_EQ(mebibyte_ns(hierarchy(false)), 65536.0 * 2 * 7 / 8);
}

TEST(LeastAllReduceTime, OfOneAcceleratorIsZero) {
  const LeastTime least = least_all_reduce_time(sample_torus({1, 1}), kMebibyte);
  EXPECT_EQ(least.ns(), 0);
  EXPECT_TRUE(least.groups.empty());
}

TEST(LeastShareTime, CountsExistingShares) {
  const std::vector<Bytes> shares{8, 8, 8, 4};
  EXPECT_DOUBLE_EQ(least_share_time(sample_torus({4}), Collective::kAllGather, shares).ns(), 24.0 / 32);
  const std::vector<Bytes> root{0, 0, 28, 0};
  const LeastTime broadcast = least_share_time(sample_torus({4}), Collective::kAllGather, root);
  EXPECT_DOUBLE_EQ(broadcast.ns(), 28.0 / 32);
}

TEST(DescribeGroups, NamesRanges) {
  LeastTime least;
  least.groups = {{0}, {1}, {2}};
  EXPECT_EQ(describe_groups(least), "each accelerator by itself");
  least.groups = {{0, 1, 2, 8}, {3, 4}};
  EXPECT_EQ(describe_groups(least), "0-2, 8 | 3-4");
}

}  // namespace
}  // namespace coppice::topology
