#include "routing/all_to_all_bound.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "routing/glpk_program.h"
#include "topology/networks/kinds.h"

namespace coppice::routing {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr Bytes kBlock = 1000;

std::vector<topology::LinkSpec> links(std::size_t dimensions) {
  return std::vector<topology::LinkSpec>(dimensions, {{1'000'000'000}, 0});
}

// Each channel of a ring of n nodes carries n * n / 8 blocks. In a torus of such rings, it carries this
// number times the number of rows.
TEST(AllToAllBound, IsKnownForRingsAndTori) {
  EXPECT_DOUBLE_EQ(least_all_to_all(topology::make_torus(std::vector{8}, links(1)), kBlock).ns, 8 * kBlock);
  EXPECT_DOUBLE_EQ(least_all_to_all(topology::make_torus(std::vector{4, 4}, links(2)), kBlock).ns,
                   4 * 2 * kBlock);
  // The wider of the two dimensions sets the bound, because its channels carry more blocks.
  EXPECT_DOUBLE_EQ(least_all_to_all(topology::make_torus(std::vector{8, 4}, links(2)), kBlock).ns,
                   4 * 8 * kBlock);
}

// In a mesh, the traffic across the middle of the longest dimension sets the bound.
TEST(AllToAllBound, IsSetByTheMiddleOfAMesh) {
  const AllToAllBound bound = least_all_to_all(topology::make_mesh(std::vector{4, 3}, links(2)), kBlock);
  EXPECT_DOUBLE_EQ(bound.ns, 6 * 6 * kBlock / 3.0);
  ASSERT_EQ(bound.groups.size(), 2U);
  EXPECT_EQ(bound.groups[0].size(), 6U);
  EXPECT_TRUE(bound.lengths.empty());
}

// 16 boxes of 8 on rails: all channels from and to rails are fully used, but no cut around one accelerator or
// one range of coordinates proves it.
TEST(AllToAllBound, IsSetByTheRailsOfManyBoxes) {
  constexpr NodeId kBoxes = 16;
  constexpr NodeId kSize = 8;
  constexpr NodeId kAll = kBoxes * kSize;
  Topology graph(topology::Kind::kFile, {}, kAll, 2 * kBoxes + kSize);
  const auto link = [&](NodeId a, NodeId b, std::int64_t gb_per_s) {
    graph.add_channel(a, b, {gb_per_s * 1'000'000'000}, 0);
    graph.add_channel(b, a, {gb_per_s * 1'000'000'000}, 0);
  };
  for (NodeId node = 0; node < kAll; ++node) {
    for (const NodeId plane : {0, 1}) link(node, kAll + 2 * (node / kSize) + plane, 20);
    link(node, kAll + 2 * kBoxes + node % kSize, 5);
  }
  const AllToAllBound bound = least_all_to_all(graph, kBlock);
  EXPECT_NEAR(bound.ns, kSize * (kAll - kSize) * kBlock / (kSize * 5.0), 1e-6 * bound.ns);
  EXPECT_NEAR(all_to_all_ns(graph, kBlock, bound.lengths), bound.ns, 1e-6 * bound.ns);
}

// Two 4 x 8 tori joined by one link are too large for the linear program, so the bound comes from cuts. The
// narrowest cut does not lie between coordinates of a dimension.
TEST(AllToAllBound, FindsTheNarrowLinkOfAGraph) {
  const Topology torus = topology::make_torus(std::vector{4, 8}, links(2));
  Topology graph(topology::Kind::kFile, {}, 64, 0);
  for (const NodeId first : {0, 32}) {
    for (const topology::Channel& channel : torus.channels())
      graph.add_channel(first + channel.src, first + channel.dst, channel.bandwidth, 0);
  }
  graph.add_channel(5, 50, {1'000'000'000}, 0);
  graph.add_channel(50, 5, {1'000'000'000}, 0);
  ASSERT_GT(64 * graph.channels().size(), kMostSolved);
  const AllToAllBound bound = least_all_to_all(graph, kBlock);
  EXPECT_LE(bound.ns, 32 * 32 * kBlock * (1 + 1e-9));
  EXPECT_GE(bound.ns, 0.98 * 32 * 32 * kBlock);
  EXPECT_NEAR(all_to_all_ns(graph, kBlock, bound.lengths), bound.ns, 1e-6 * bound.ns);
}

Topology random_network(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  const int accelerators = draw(2, 5);
  const int switches = draw(0, 2);
  const int nodes = accelerators + switches;
  Topology network(topology::Kind::kFile, {}, accelerators, switches);
  // A one-way ring makes the random graph strongly connected.
  for (NodeId node = 0; node < nodes; ++node) {
    network.add_channel(node, (node + 1) % nodes, {draw(1, 4) * 1'000'000'000L}, 0);
  }
  for (int more = draw(0, nodes); more > 0; --more) {
    const NodeId from = draw(0, nodes - 1);
    const NodeId to = (from + draw(1, nodes - 1)) % nodes;
    network.add_channel(from, to, {draw(1, 4) * 1'000'000'000L}, 0);
  }
  return network;
}

// Adds all simple paths from `at` to `to` that avoid the nodes in `seen` to `ways`.
void extend(const Topology& network, NodeId at, NodeId to, std::vector<bool>& seen, std::vector<int>& way,
            std::vector<std::vector<int>>& ways) {
  if (at == to) {
    ways.push_back(way);
    return;
  }
  seen[static_cast<std::size_t>(at)] = true;
  for (const auto id : network.out_channels(at)) {
    const NodeId next = network.channel(id).dst;
    if (seen[static_cast<std::size_t>(next)]) continue;
    way.push_back(static_cast<int>(id));
    extend(network, next, to, seen, way, ways);
    way.pop_back();
  }
  seen[static_cast<std::size_t>(at)] = false;
}

// The reference: the minimum time over all ways to distribute the blocks over all simple paths, by linear
// programming.
double best_of_all_ways(const Topology& network) {
  const GlpkProgram problem = make_program(GLP_MIN);
  const auto channels = static_cast<int>(network.channels().size());
  glp_add_rows(problem.get(), channels);
  glp_add_cols(problem.get(), 1);
  glp_set_col_bnds(problem.get(), 1, GLP_LO, 0, 0);
  glp_set_obj_coef(problem.get(), 1, 1);
  GlpkMatrix matrix;
  for (int e = 0; e < channels; ++e) {
    glp_set_row_bnds(problem.get(), e + 1, GLP_UP, 0, 0);
    matrix.add(e + 1, 1, -network.channels()[static_cast<std::size_t>(e)].bandwidth.gb_per_s());
  }
  for (NodeId from = 0; from < network.num_accelerators(); ++from) {
    for (NodeId to = 0; to < network.num_accelerators(); ++to) {
      if (from == to) continue;
      const int row = glp_add_rows(problem.get(), 1);
      glp_set_row_bnds(problem.get(), row, GLP_FX, 1, 1);
      std::vector<bool> seen(static_cast<std::size_t>(network.num_nodes()), false);
      std::vector<int> way;
      std::vector<std::vector<int>> ways;
      extend(network, from, to, seen, way, ways);
      for (const auto& one : ways) {
        const int column = glp_add_cols(problem.get(), 1);
        glp_set_col_bnds(problem.get(), column, GLP_LO, 0, 0);
        matrix.add(row, column, 1);
        for (const int e : one) matrix.add(e + 1, column, 1);
      }
    }
  }
  matrix.load_into(problem.get());
  const glp_smcp parameters = quiet_simplex();
  EXPECT_EQ(glp_simplex(problem.get(), &parameters), 0);
  return glp_get_obj_val(problem.get());
}

TEST(AllToAllBound, IsOptimalOnSmallNetworks) {
  const unsigned seed = ::testing::UnitTest::GetInstance()->random_seed() > 0
                            ? static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed())
                            : 1;
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const Topology network = random_network(random);
    const AllToAllBound bound = least_all_to_all(network, kBlock);
    EXPECT_NEAR(bound.ns / kBlock, best_of_all_ways(network), 1e-6) << "seed " << seed << " round " << round;
    EXPECT_NE(bound.groups.empty(), bound.lengths.empty());
    // The returned lengths are a certificate: the shortest paths under these lengths imply the bound.
    if (!bound.lengths.empty()) {
      EXPECT_DOUBLE_EQ(all_to_all_ns(network, kBlock, bound.lengths), bound.ns);
    }
  }
}

}  // namespace
}  // namespace coppice::routing
