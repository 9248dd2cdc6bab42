#include "schedule/all_to_all/torus_exchange.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

Topology torus(const std::vector<int>& dims) {
  const std::vector<topology::LinkSpec> links(dims.size(), {{1'000'000'000}, 0});
  return topology::make_torus(dims, links);
}

// The lower bound on the number of steps: the hops of all blocks along a dimension, divided by the number of
// its channels. Undivided blocks (`whole`) that travel half of a ring cannot be split evenly between the two
// directions if their number is odd.
double least_steps(const std::vector<int>& dims, bool whole) {
  int accelerators = 1;
  for (const int width : dims) accelerators *= width;
  double most = 0;
  for (const int width : dims) {
    double hops = 0;
    for (int shift = 0; shift < width; ++shift) hops += std::min(shift, width - shift);
    const int rows = accelerators / width;
    const double more = whole && width % 2 == 0 && rows % 2 == 1 ? width / 4.0 : 0;
    most = std::max(most, hops * rows / 2 + more);
  }
  return most;
}

RC_GTEST_PROP(TorusExchange, TakesNoMoreStepsThanItsBusiestChannelsHaveBlocks, ()) {
  std::vector<int> dims{*rc::gen::inRange(2, 9)};
  for (int more = *rc::gen::inRange(0, 4); more > 0; --more) {
    int n = 1;
    for (const int width : dims) n *= width;
    dims.insert(dims.begin(), *rc::gen::inRange(1, std::clamp(64 / n, 1, 8) + 1));
  }
  const Topology topology = torus(dims);
  const Bytes most_parts = *rc::gen::element<Bytes>(1, 8);
  const BlockExchange exchange = torus_exchange(topology, most_parts);
  RC_ASSERT(exchange.parts <= most_parts);
  const NodeId n = topology.num_accelerators();
  std::vector<Send> sends = exchange.sends;
  std::ranges::stable_sort(sends, {}, &Send::step);
  std::vector<NodeId> at;
  std::vector<int> since(static_cast<std::size_t>(n * n * exchange.parts), 0);
  for (int flow = 0; flow < n * n * exchange.parts; ++flow) at.push_back(flow / exchange.parts / n);
  std::set<std::pair<topology::ChannelId, int>> taken;
  for (const Send& send : sends) {
    const auto flow = static_cast<std::size_t>(send.flow);
    RC_ASSERT(at[flow] == send.src && topology.channel(send.channel).src == send.src);
    RC_ASSERT(topology.channel(send.channel).dst == send.dst);
    RC_ASSERT(since[flow] < send.step);
    RC_ASSERT(taken.emplace(send.channel, send.step).second);
    at[flow] = send.dst;
    since[flow] = send.step;
  }
  for (int flow = 0; flow < n * n * exchange.parts; ++flow) {
    RC_ASSERT(at[static_cast<std::size_t>(flow)] == flow / exchange.parts % n);
  }
  // An exchange of undivided blocks takes at least as many steps as the longest path has hops.
  int longest = 0;
  for (const int width : dims) longest += width / 2;
  const double steps = sends.back().step;
  RC_ASSERT(steps == (most_parts > 1 ? least_steps(dims, false) * exchange.parts
                                     : std::max<double>(least_steps(dims, true), longest)));
}

TEST(TorusExchange, RequiresATorusWithEqualBandwidths) {
  EXPECT_TRUE(is_even_torus(torus({4, 2})));
  const std::vector<topology::LinkSpec> links{{{1'000'000'000}, 0}, {{2'000'000'000}, 0}};
  EXPECT_FALSE(is_even_torus(topology::make_torus(std::vector{4, 2}, links)));
  EXPECT_FALSE(is_even_torus(topology::make_mesh(std::vector{4, 2}, std::vector(2, links[0]))));
}

}  // namespace
}  // namespace coppice::schedule
