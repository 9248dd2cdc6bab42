#include "ni/issue/dependency_tracker.h"

#include <gtest/gtest.h>

#include "Vdependency_tracker.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr int kFlows = 64;
constexpr unsigned kEvents = 8;
constexpr unsigned kQueries = 4;
constexpr unsigned kWidth = 10;  // number of bits of a flow and of a dependency count

TEST(DependencyTracker, CountsManySimultaneousArrivalsOfAFlowLikeTheModel) {
  Clocked<Vdependency_tracker> tracker;
  Stimulus random(5);
  ni::DependencyTracker model(kFlows);
  std::uint32_t share = 50;
  for (int cycle = 0; cycle < 30'000; ++cycle) {
    if (cycle % 200 == 0) share = random.below(101);
    const std::uint32_t flows = random.percent(50) ? 2 : kFlows;
    std::uint32_t flow[kEvents];
    tracker->arrived_i = 0;
    for (unsigned word = 0; word < 3; ++word) tracker->arrived_flow_i[word] = 0;
    for (unsigned e = 0; e < kEvents; ++e) {
      flow[e] = random.below(flows);
      if (random.percent(share)) tracker->arrived_i |= static_cast<std::uint8_t>(1U << e);
      const std::uint64_t at = std::uint64_t{flow[e]} << (e * kWidth % 32);
      tracker->arrived_flow_i[e * kWidth / 32] |= static_cast<std::uint32_t>(at);
      if (at >> 32) tracker->arrived_flow_i[e * kWidth / 32 + 1] |= static_cast<std::uint32_t>(at >> 32);
    }
    std::uint64_t queries = 0;
    std::uint64_t dependencies = 0;
    bool satisfied[kQueries];
    for (unsigned q = 0; q < kQueries; ++q) {
      const std::uint32_t of = random.below(flows);
      const std::uint32_t count = static_cast<std::uint32_t>(model.count(static_cast<std::int32_t>(of)));
      const std::uint32_t need = count + 1 > random.below(3) ? (count + random.below(3)) : 0;
      queries |= std::uint64_t{of} << (q * kWidth);
      dependencies |= std::uint64_t{need & 1023} << (q * kWidth);
      satisfied[q] = model.satisfied(static_cast<std::int32_t>(of), static_cast<std::int32_t>(need & 1023));
    }
    tracker->query_flow_i = queries;
    tracker->dependencies_i = dependencies;
    tracker->reset_i = random.one_in(100);
    tracker.settle();
    for (unsigned q = 0; q < kQueries; ++q) ASSERT_EQ((tracker->satisfied_o >> q) & 1, satisfied[q]);
    if (random.one_in(500)) {
      tracker.reset();
      model = ni::DependencyTracker(kFlows);
      continue;
    }
    tracker.tick();
    if (tracker->reset_i) {
      model = ni::DependencyTracker(kFlows);
      continue;
    }
    for (unsigned e = 0; e < kEvents; ++e) {
      if ((tracker->arrived_i >> e) & 1) model.arrived(static_cast<std::int32_t>(flow[e]));
    }
  }
}

}  // namespace
}  // namespace coppice::cosim
