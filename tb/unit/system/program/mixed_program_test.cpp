// Runs programs as trains, with flits at ports where trains contend. All times must equal those of runs that
// consist of flits only.
#include <gmock/gmock.h>

#include <random>

#include <fmt/format.h>

#include "base/error.h"
#include "small_program.h"
#include "support/random_program.h"
#include "system/process/child_process.h"
#include "system/program/program_run.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

Json ran(const SmallProgram& small, fabric::Meetings* meetings) {
  RunOptions options;
  options.meetings = meetings;
  return run_program(small.machine.loaded(), small.program, options);
}

// Repeats the run with an increasing number of ports that send flits, until no trains contend.
Json run_mixed(const SmallProgram& small) {
  std::vector<std::int32_t> flit_ports;
  for (int runs = 1;; ++runs) {
    const Json ended = run_in_child(
        [&]() -> Json {
          fabric::Meetings meetings(flit_ports);
          try {
            Json result = ran(small, &meetings);
            if (!meetings.met()) return result;
          } catch (const ModelError&) {
            if (!meetings.met()) throw;
          }
          return {{"more", meetings.flit_ports()}, {"reason", meetings.reason()}};
        },
        nullptr);
    if (!ended.contains("more")) return ended;
    auto more = ended["more"].get<std::vector<std::int32_t>>();
    if (more.size() <= flit_ports.size()) throw ModelError(ended["reason"].get<std::string>());
    flit_ports = std::move(more);
  }
}

TEST(MixedProgram, IsFlitsInEveryCycleAtRandom) {
  const std::vector<std::pair<const char*, int>> machines{
      {"kind: torus, dims: [3, 3]", 9},
      {"kind: mesh, dims: [4, 2]", 8},
      {"kind: switch, dims: [6]", 6},
      {"kind: fat_tree, dims: [4, 2]", 8},
      {"kind: dgx1", 8},
      {"kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
       "{kind: switch, size: 2, bandwidth: 16 GB/s, latency: 500 ns}]",
       8}};
  std::mt19937 random(7);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  std::int64_t messages = 0;
  std::int64_t as_flits = 0;
  int ran_systems = 0;
  for (int i = 0; i < 60; ++i) {
    const auto& [topology, ranks] = machines[static_cast<std::size_t>(i) % machines.size()];
    const std::string text = RandomProgram(below, ranks, 2 + below(6)).text();
    SCOPED_TRACE(fmt::format("system {}: {}\n{}", i, topology, text));
    const std::vector<std::string> settings{
        fmt::format("system.ni.flow_control={}", random() % 2 == 0 ? "packet" : "message"),
        "system.ni.contexts=16", fmt::format("system.router.vcs={}", 8 + 4 * (random() % 2)),
        fmt::format("system.link.bandwidth={} GB/s", random() % 3 == 0 ? 12 : 16),
        "collective.algorithm=ring"};
    const auto with = [&](const char* fidelity) {
      std::vector<std::string> all = settings;
      all.push_back(fmt::format("fidelity={}", fidelity));
      return SmallProgram(topology, text, all);
    };
    const SmallProgram flits = with("flit");
    const SmallProgram trains = with("train");
    Json expected;
    try {
      expected = run_in_child([&] { return ran(flits, nullptr); }, nullptr);
    } catch (const ConfigError&) {
      continue;  // the program's messages could deadlock
    }
    ++ran_systems;
    Json mixed = run_mixed(trains);
    if (mixed.contains("trains")) {
      messages += mixed["trains"]["messages"].get<std::int64_t>();
      as_flits += mixed["trains"]["as_flits"].get<std::int64_t>();
    }
    // These entries differ because a flit run reports other modules and another fidelity.
    for (const char* key : {"config", "simulator", "statistics", "fidelity", "trains"}) {
      expected.erase(key);
      mixed.erase(key);
    }
    // A train spreads its bytes evenly over its time on a channel, whereas flits do not, so utilization per
    // window differs.
    for (Json* result : {&expected, &mixed}) {
      if (!result->contains("dimensions")) continue;
      for (Json& dimension : (*result)["dimensions"]) dimension.erase("busy");
    }
    ASSERT_EQ(mixed, expected);
  }
  EXPECT_GE(ran_systems, 30);
  // The test is meaningful only if some messages are sent as flits and others as trains.
  EXPECT_GT(as_flits, 0);
  EXPECT_LT(as_flits, messages);
}

}  // namespace
}  // namespace coppice::system
