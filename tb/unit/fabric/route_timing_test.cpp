#include "fabric/route_timing.h"

#include <gtest/gtest.h>

#include "small_fabric.h"

namespace coppice::fabric {
namespace {

topology::Route route_between(const topology::Topology& topology, NodeId src, NodeId dst) {
  const auto routing = topology::make_dimension_order_routing(topology, 4);
  return topology::make_route(topology, *routing, src, dst, 0, 0);
}

// The calibrated formula: 5 cycles per router plus 2 for injection and ejection.
TEST(RouteTiming, IsFiveCyclesPerRouterPlusTwo) {
  const auto topology = mesh({8, 8});
  const config::SystemConfig system = system_config();
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 0)).latency, 7);
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 1)).latency, 12);
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 63)).latency, 5 * 15 + 2);
}

TEST(RouteTiming, AddsTheDelaysPerRouter) {
  const auto topology = mesh({3});
  config::SystemConfig system = system_config();
  system.router.routing_delay = 3;
  system.router.vc_alloc_delay = 5;
  system.router.sw_alloc_delay = 7;
  system.router.st_delay = 11;
  system.router.credit_delay = 1000;
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 2)).latency,
            2 + 3 * (3 + 5 + 7 + 11 + 1));
}

// Channel latencies are rounded up to cycles: an arrival within a cycle is seen at its end.
TEST(RouteTiming, RoundsLatenciesUpToCycles) {
  EXPECT_EQ(latency_cycles(0, kCycle), 0);
  EXPECT_EQ(latency_cycles(1, kCycle), 1);
  EXPECT_EQ(latency_cycles(kCycle, kCycle), 1);
  EXPECT_EQ(latency_cycles(kCycle + 1, kCycle), 2);
  const auto topology = mesh({2}, {.bandwidth = {16'000'000'000}, .latency = 2'500'000});
  EXPECT_EQ(time_route(topology, system_config(), 0, route_between(topology, 0, 1)).latency, 2 + 2 * 5 + 2);
}

TEST(RouteTiming, UsesTheFlitTimeOfTheSlowestChannel) {
  const std::vector<int> dims{2, 2};
  const auto topology = topology::make_mesh(dims, std::vector{link(1, 8'000'000'000), link(1)});
  config::SystemConfig system = system_config();
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 2)).slowest_flit, kCycle);
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 3)).slowest_flit, 2 * kCycle);
  system.ni.reduction_flits_per_cycle = 0.25;
  EXPECT_EQ(time_route(topology, system, 0, route_between(topology, 0, 3)).slowest_flit, 4 * kCycle);
}

// The period of 3 GHz is not a whole number of femtoseconds, but channels still carry a flit per cycle.
TEST(RouteTiming, KeepsWholeRatiosOfRoundedPeriods) {
  config::SystemConfig system = system_config();
  system.clock = {3'000'000'000};
  const Femtoseconds period = system.clock.period();
  EXPECT_EQ(channel_flit_time(system, {48'000'000'000}), period);
  EXPECT_EQ(channel_flit_time(system, {24'000'000'000}), 2 * period);
  EXPECT_EQ(channel_flit_time(system, {12'000'000'000}), 4 * period);
  system.clock = {1'000'000'000};
  EXPECT_EQ(channel_flit_time(system, {3'000'000'000}), 5'333'334);
}

TEST(RouteTiming, EjectsNoFasterThanAFlitPerCycle) {
  config::SystemConfig system = system_config();
  system.ni.reduction_flits_per_cycle = 8;
  EXPECT_EQ(ejection_flit_time(system), kCycle);
  system.ni.reduction_flits_per_cycle = 0.4;
  EXPECT_EQ(ejection_flit_time(system), 2'500'000);
}

}  // namespace
}  // namespace coppice::fabric
