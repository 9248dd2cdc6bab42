// Measures all-reduces on tori of MultiTree's machine.
#include <fmt/format.h>

#include "simulate.h"
#include "system/program/program_run.h"

namespace coppice::bench {
namespace {

nlohmann::ordered_json all_reduce(const std::vector<std::string>& overrides) {
  const auto loaded = load_system("torus_8x8", overrides, config::Purpose::kRun);
  return system::run_program(loaded, system::load_program(loaded), {});
}

std::vector<std::string> overrides_for(const std::string& algorithm, int width, Bytes mebibytes,
                                       const std::string& fidelity) {
  return {fmt::format("system.topology.dims=[{}, {}]", width, width),
          fmt::format("collective.algorithm={}", algorithm), fmt::format("collective.size={} MiB", mebibytes),
          fmt::format("fidelity={}", fidelity), "check=contributions"};
}

// The main case: an all-reduce of real values, simulated flit by flit.
void all_reduce_1mib_torus_8x8(benchmark::State& state, const char* algorithm, const char* flow_control) {
  const auto result = measure(state, [&] {
    return all_reduce({fmt::format("collective.algorithm={}", algorithm),
                       fmt::format("system.ni.flow_control={}", flow_control), "fidelity=flit",
                       "check=values"});
  });
  if (result.contains("cycles")) state.counters["cycles"] = result["cycles"].get<double>();
}
BENCHMARK_CAPTURE(all_reduce_1mib_torus_8x8, ring, "ring", "packet")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce_1mib_torus_8x8, multitree, "multitree", "packet")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce_1mib_torus_8x8, multitree_message, "multitree", "message")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The same all-reduces with flits and with trains, to compare the fidelities.
void fidelity_nodes(benchmark::State& state, const char* fidelity) {
  const auto width = static_cast<int>(state.range(0));
  const auto result =
      measure(state, [&] { return all_reduce(overrides_for("multitree", width, 1, fidelity)); });
  if (result.contains("cycles")) state.counters["cycles"] = result["cycles"].get<double>();
}
BENCHMARK_CAPTURE(fidelity_nodes, flit, "flit")
    ->ArgName("width")
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fidelity_nodes, train, "train")
    ->ArgName("width")
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Adds the time per message. There are 2 n (n - 1) messages, because each accelerator's chunk has a tree or
// ring.
void count_messages(benchmark::State& state, const nlohmann::ordered_json& result, int width) {
  if (!result.contains("cycles")) return;
  const double accelerators = static_cast<double>(width) * width;
  const double messages = 2 * accelerators * (accelerators - 1);
  state.counters["cycles"] = result["cycles"].get<double>();
  state.counters["messages"] = messages;
  state.counters["per_message"] = benchmark::Counter(
      messages, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);  // in seconds
}

// 16 to 4,096 accelerators. The time grows in proportion to the number of messages.
void trains_nodes(benchmark::State& state, const char* algorithm) {
  const auto width = static_cast<int>(state.range(0));
  const auto result =
      measure(state, [&] { return all_reduce(overrides_for(algorithm, width, 64, "train")); });
  count_messages(state, result, width);
}
// Runs on small tori are too short for a single measurement, so they are repeated.
void small_tori(benchmark::internal::Benchmark* bench) {
  bench->ArgName("width")->RangeMultiplier(2)->Range(4, 16)->Iterations(20);
}
void large_tori(benchmark::internal::Benchmark* bench) {
  bench->ArgName("width")->RangeMultiplier(2)->Range(32, 64)->Iterations(1);
}
void in_milliseconds(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(trains_nodes, ring, "ring")->Apply(small_tori)->Apply(in_milliseconds);
BENCHMARK_CAPTURE(trains_nodes, ring, "ring")->Apply(large_tori)->Apply(in_milliseconds);
BENCHMARK_CAPTURE(trains_nodes, multitree_optimal, "multitree_optimal")
    ->Apply(small_tori)
    ->Apply(in_milliseconds);
BENCHMARK_CAPTURE(trains_nodes, multitree_optimal, "multitree_optimal")
    ->Apply(large_tori)
    ->Apply(in_milliseconds);

// Like trains_nodes(), but ring2d has a number of messages per accelerator that grows with the torus' width
// instead of with the number of accelerators.
void trains_ring2d(benchmark::State& state) {
  const auto width = static_cast<int>(state.range(0));
  const auto result = measure(state, [&] { return all_reduce(overrides_for("ring2d", width, 64, "train")); });
  if (result.contains("cycles")) state.counters["cycles"] = result["cycles"].get<double>();
}
BENCHMARK(trains_ring2d)
    ->ArgName("width")
    ->RangeMultiplier(2)
    ->Range(4, 64)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// 1 GB on 1,024 accelerators in three dimensions of switches. The number of messages is proportional to the
// number of chunks.
void trains_hierarchy(benchmark::State& state) {
  const auto chunks = static_cast<int>(state.range(0));
  const auto result = measure(state, [&] {
    const auto loaded =
        load_system("hierarchy_16x8x8", {fmt::format("collective.chunks={}", chunks)}, config::Purpose::kRun);
    return system::run_program(loaded, system::load_program(loaded), {});
  });
  if (result.contains("cycles")) state.counters["cycles"] = result["cycles"].get<double>();
}
BENCHMARK(trains_hierarchy)
    ->ArgName("chunks")
    ->RangeMultiplier(4)
    ->Range(1, 64)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// 1 MiB to 1 GiB. With trains, the simulation time does not depend on the size.
void fidelity_bytes(benchmark::State& state, const char* fidelity) {
  const auto mebibytes = static_cast<Bytes>(state.range(0));
  const auto result =
      measure(state, [&] { return all_reduce(overrides_for("multitree", 8, mebibytes, fidelity)); });
  count_messages(state, result, 8);
}
BENCHMARK_CAPTURE(fidelity_bytes, flit, "flit")
    ->ArgName("mebibytes")
    ->Arg(1)
    ->Arg(16)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fidelity_bytes, train, "train")
    ->ArgName("mebibytes")
    ->RangeMultiplier(8)
    ->Range(1, 1024)
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::bench
