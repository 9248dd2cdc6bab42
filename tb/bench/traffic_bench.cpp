// Measures the flit fabric under synthetic traffic, with the calibrated router and uniformly distributed
// destinations.
#include <fmt/format.h>

#include "simulate.h"
#include "system/traffic/traffic.h"

namespace coppice::bench {
namespace {

// The injection rate that uses half of the bisection bandwidth of a k x k mesh, so that the relative load is
// the same for every width. At 8 x 8, it is 0.35 flits per node per cycle.
double half_load(int width) {
  return 2.8 / width;
}

// The number of cycles for which all widths have about the same number of flit-hops.
Cycles cycles_for(int width) {
  return Cycles{4'000'000} / (Cycles{width} * width);
}

nlohmann::ordered_json uniform_traffic(int width, double rate, int packet_flits, Cycles cycles) {
  const auto loaded =
      load_system("mesh_8x8_booksim", {fmt::format("system.topology.dims=[{}, {}]", width, width)},
                  config::Purpose::kTraffic);
  system::TrafficOptions traffic;
  traffic.rate = rate;
  traffic.packet_flits = packet_flits;
  traffic.warmup = cycles / 10;
  traffic.measure = cycles;
  return system::run_traffic(loaded, traffic, {});
}

// Measures the two injection rates for which the project has speed goals.
void traffic_mesh_8x8(benchmark::State& state) {
  const auto flits = static_cast<int>(state.range(0));
  const double rate = static_cast<double>(state.range(1)) / 100;
  measure(state, [&] { return uniform_traffic(8, rate, flits, 100'000); });
}
BENCHMARK(traffic_mesh_8x8)
    ->ArgNames({"packet_flits", "rate_percent"})
    ->Args({16, 35})
    ->Args({1, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Measures the time per flit-hop on meshes from 4 x 4 to 32 x 32.
void traffic_scaling(benchmark::State& state) {
  const auto flits = static_cast<int>(state.range(0));
  const auto width = static_cast<int>(state.range(1));
  const auto result =
      measure(state, [&] { return uniform_traffic(width, half_load(width), flits, cycles_for(width)); });
  if (!result.contains("simulator")) return;
  state.counters["ns_per_flit_hop"] =
      1e9 * result["simulator"]["user_s"].get<double>() / result["flit_hops"].get<double>();
}
BENCHMARK(traffic_scaling)
    ->ArgNames({"packet_flits", "width"})
    ->ArgsProduct({{1, 16}, {4, 8, 16, 32}})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::bench
