#include "schedule/tables/final_chunks.h"

#include <gmock/gmock.h>

#include <array>

#include "base/error.h"
#include "machine.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"
#include "topology/topology.h"

namespace coppice::schedule {
namespace {

using ::testing::ElementsAre;

// A schedule with chunks of one element over a tree of two accelerators.
Schedule tree(int chunks) {
  const std::vector<topology::LinkSpec> links{{{1'000'000'000}, 0}};
  const topology::Topology topology = topology::make_torus(std::vector{2}, links);
  const auto routing = topology::make_routing(topology, 2);
  CompileRequest request;
  request.size = 4 * chunks;
  request.ni_ports = 2;
  request.routing = routing.get();
  request.chunks = chunks;
  return make_compiler("tree")->compile(topology, request);
}

TEST(FinalChunks, AreNumberedByAddress) {
  const auto found = find_final_chunks(tree(3));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->ends, ElementsAre(4, 8, 12));
  // For every chunk, each accelerator receives one message.
  for (const std::int32_t messages : found->messages) EXPECT_EQ(messages, 1);
}

// The entries of a group's tables name accelerators by their numbers in the machine, so the numbers of the
// group's members must be given.
TEST(FinalChunks, AreCountedByNode) {
  Schedule placed = tree(3);
  const auto found = find_final_chunks(placed).value();
  constexpr std::array<NodeId, 2> kNames{7, 2};
  for (auto& node : placed.nodes) {
    for (auto& port : node.ports) {
      for (TableEntry& entry : port) {
        if (entry.parent >= 0) entry.parent = kNames[static_cast<std::size_t>(entry.parent)];
        for (NodeId& child : entry.children) child = kNames[static_cast<std::size_t>(child)];
      }
    }
  }
  EXPECT_EQ(find_final_chunks(placed, kNames)->messages, found.messages);
}

TEST(FinalChunks, CountsTheChunksOfBytes) {
  const auto found = find_final_chunks(tree(3)).value();
  EXPECT_EQ(found.chunks_to(0), 0);
  EXPECT_EQ(found.chunks_to(1), 1);
  EXPECT_EQ(found.chunks_to(4), 1);
  EXPECT_EQ(found.chunks_to(5), 2);
  EXPECT_EQ(found.chunks_to(12), 3);
  EXPECT_THROW(found.chunks_to(13), ModelError);
}

TEST(FinalChunks, NeedFlowsThatShareNoAddress) {
  Schedule halves = tree(3);
  for (auto& node : halves.nodes) {
    for (auto& port : node.ports) {
      for (TableEntry& entry : port) entry.address = 0;
    }
  }
  EXPECT_FALSE(find_final_chunks(halves).has_value());
  Schedule scatter = tree(3);
  scatter.collective = Collective::kReduceScatter;
  EXPECT_FALSE(find_final_chunks(scatter).has_value());
}

}  // namespace
}  // namespace coppice::schedule
