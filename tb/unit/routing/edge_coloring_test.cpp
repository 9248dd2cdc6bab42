#include "routing/edge_coloring.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

// If all ToRs have the same live spines, edge colouring is optimal (König's theorem).
RC_GTEST_PROP(EdgeColoring, IsOptimalIfSpinesAreEqual, ()) {
  Instance instance = any_instance();
  fail_some_spines(instance.links);
  const Assignment spines = EdgeColoring().assign(instance.links, instance.flows);
  RC_ASSERT(spines.size() == instance.flows.size());
  for (std::size_t i = 0; i < spines.size(); ++i) {
    RC_ASSERT((spines[i] == kNoSpine) == instance.flows[i].local());
  }
  const auto live = static_cast<int>(instance.links.live_spines(0, 0).size());
  const int degree = busiest_degree(instance.links, instance.flows);
  RC_ASSERT(max_load(instance.links, instance.flows, spines) == (degree + live - 1) / live);
}

// With failed links, edge colouring only guarantees that flows use live paths.
RC_GTEST_PROP(EdgeColoring, UsesOnlyLiveSpines, ()) {
  Instance instance = any_instance();
  fail_some_links(instance.links);
  const Assignment spines = EdgeColoring().assign(instance.links, instance.flows);
  for (std::size_t i = 0; i < spines.size(); ++i) {
    const Flow& flow = instance.flows[i];
    if (!flow.local()) RC_ASSERT(instance.links.usable(flow.src_tor, spines[i], flow.dst_tor));
  }
}

TEST(EdgeColoring, RejectsFlowsWithoutAPath) {
  ClosLinks links(2, 1);
  links.set_spine(0, false);
  const auto flows = flows_between({{0, 1}});
  EXPECT_THROW(EdgeColoring().assign(links, flows), UnroutableError);
}

}  // namespace
}  // namespace coppice::routing
