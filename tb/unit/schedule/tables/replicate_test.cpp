#include "schedule/tables/replicate.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "schedule/registry.h"
#include "topology/networks/builders.h"

namespace coppice::schedule {
namespace {

Schedule ring_of_three() {
  const std::vector<int> dims{3};
  const topology::LinkSpec link{.bandwidth = {1'000'000'000}};
  const topology::Topology ring = topology::make_ring(dims, std::span(&link, 1));
  CompileRequest request;
  request.size = 48;
  return make_compiler("ring")->compile(ring, request);
}

TEST(Relocate, GivesEveryGroupTheSameTablesWithItsOwnNames) {
  const Schedule ring = ring_of_three();
  const Schedule machine = relocate(ring, {{5, 1, 3}, {0, 2, 7}}, 8);
  ASSERT_EQ(machine.nodes.size(), 8U);
  EXPECT_TRUE(machine.nodes[4].ports.front().empty());
  const auto& small = ring.nodes[0].ports.front();
  const auto& first = machine.nodes[5].ports.front();
  const auto& second = machine.nodes[0].ports.front();
  ASSERT_EQ(first.size(), small.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_EQ(small[i].destination(), 1);
    EXPECT_EQ(first[i].destination(), 1);
    EXPECT_EQ(second[i].destination(), 2);
    EXPECT_EQ(first[i].address, small[i].address);
    EXPECT_EQ(first[i].step, small[i].step);
  }
}

TEST(Relocate, RefusesPlacesThatOverlapOrDoNotFit) {
  const Schedule ring = ring_of_three();
  EXPECT_THROW(relocate(ring, {{0, 1, 2}, {2, 3, 4}}, 8), std::invalid_argument);
  EXPECT_THROW(relocate(ring, {{0, 1}}, 8), std::invalid_argument);
  EXPECT_THROW(relocate(ring, {{0, 1, 8}}, 8), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::schedule
