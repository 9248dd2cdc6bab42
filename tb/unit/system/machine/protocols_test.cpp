#include "system/machine/protocols.h"

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::ElementsAre;

constexpr Femtoseconds kUs = 1'000'000'000;

config::SystemConfig with_two() {
  config::SystemConfig system;
  system.ni.launch = 5 * kUs;
  config::ProtocolConfig fast{.name = "LL", .efficiency = 0.5, .setup = kUs, .launch = {}, .up_to = 1024};
  config::ProtocolConfig wide{.name = "Simple", .setup = 4 * kUs, .launch = 7 * kUs, .up_to = {}};
  wide.algorithms = {"ring"};
  system.ni.protocols = {fast, wide};
  return system;
}

std::vector<std::string> serving(const std::string& algorithm, const ProtocolQuery& query,
                                 const config::SystemConfig& system) {
  std::vector<std::string> names;
  for (const ProtocolChoice& choice : protocol_choices(system, query)) {
    if (choice.serves(algorithm)) names.push_back(choice.protocol ? choice.protocol->name : "none");
  }
  return names;
}

TEST(ProtocolChoices, AreThoseOfASizeAndAnAlgorithm) {
  const config::SystemConfig system = with_two();
  EXPECT_THAT(serving("ring", {"all_reduce", 1024, 8}, system), ElementsAre("LL", "Simple"));
  EXPECT_THAT(serving("ring", {"all_reduce", 1028, 8}, system), ElementsAre("Simple"));
  EXPECT_THAT(serving("direct", {"all_reduce", 1024, 8}, system), ElementsAre("LL"));
  EXPECT_THAT(serving("direct", {"all_reduce", 1028, 8}, system), ElementsAre("none"));
}

TEST(ProtocolChoices, DependOnOperationsAndRanks) {
  config::SystemConfig system = with_two();
  system.ni.protocols[0].operations = {"all_gather"};
  system.ni.protocols[1].ranks = {2, 4};
  EXPECT_THAT(serving("ring", {"all_reduce", 4, 8}, system), ElementsAre("none"));
  EXPECT_THAT(serving("ring", {"all_gather", 4, 4}, system), ElementsAre("LL", "Simple"));
}

TEST(LaunchOf, IsTheProtocolsOrTheSystems) {
  const config::SystemConfig system = with_two();
  schedule::Schedule compiled;
  compiled.flows = 1;
  EXPECT_EQ(launch_of(system, compiled), 5 * kUs);
  compiled.protocol = protocol_choices(system, {"all_reduce", 4, 8})[1].protocol;
  EXPECT_EQ(launch_of(system, compiled), 7 * kUs);
}

// Runs a collective on eight accelerators behind a switch, with one message per step.
nlohmann::ordered_json run_box(const std::string& size, std::vector<std::string> more) {
  more.insert(more.begin(),
              {"system.topology.kind=switch", "system.topology.dims=[8]", "system.link.bandwidth=450 GB/s",
               "system.link.latency=200 ns", "system.flit=auto", "collective.algorithm=ring",
               "collective.size=" + size, "check=contributions"});
  return run("torus_4x4", more);
}

const std::vector<std::string> kProtocols{
    "system.ni.protocols=[{name: LL, efficiency: 0.5, setup: 800 ns}, {name: Simple, setup: 4 us}]"};

// The launch delay is added once per collective, not once per message.
TEST(Costs, TheLaunchIsPaidOnce) {
  const auto without = run_box("64 KiB", {});
  const auto launched = run_box("64 KiB", {"system.ni.launch=5 us"});
  EXPECT_EQ(launched["cycles"].get<Cycles>(), without["cycles"].get<Cycles>() + 5000);
}

TEST(Costs, EfficiencyReducesTheBandwidth) {
  const auto nominal = run_box("64 MiB", {});
  const auto used = run_box("64 MiB", {"system.link.efficiency=0.8"});
  EXPECT_NEAR(used["time_ns"].get<double>() / nominal["time_ns"].get<double>(), 1.25, 0.01);
  EXPECT_LE(used["efficiency"].get<double>(), 1);
}

// Flits and trains count the same cycles, and fluid flows take about the same time.
TEST(Costs, CountInEveryFidelity) {
  std::vector<std::string> costs = kProtocols;
  costs.insert(costs.end(), {"system.ni.launch=3 us", "system.link.efficiency=0.81"});
  for (const char* size : {"4 KiB", "256 KiB"}) {
    std::vector<std::string> settings = costs;
    settings.emplace_back("fidelity=train");
    const auto trains = run_box(size, settings);
    for (const char* fidelity : {"flit", "leap"}) {
      settings.back() = std::string("fidelity=") + fidelity;
      EXPECT_EQ(run_box(size, settings)["cycles"], trains["cycles"]) << size << ' ' << fidelity;
    }
    settings.back() = "fidelity=fluid";
    const double fluid = run_box(size, settings)["time_ns"].get<double>();
    EXPECT_NEAR(fluid / trains["time_ns"].get<double>(), 1, 0.02) << size;
  }
}

// With two protocols, the run takes the time of the faster one, which is close to the expected time.
TEST(Costs, TheFastestProtocolIsUsed) {
  for (const char* size : {"4 KiB", "64 MiB"}) {
    const auto chosen = run_box(size, kProtocols);
    const std::string name = chosen["expected"][0]["protocol"].get<std::string>();
    EXPECT_EQ(name, std::string(size) == "4 KiB" ? "LL" : "Simple");
    EXPECT_EQ(chosen["expected"].size(), 2U);
    const double time = chosen["time_ns"].get<double>();
    EXPECT_NEAR(chosen["expected"][0]["time_ns"].get<double>() / time, 1, 0.03) << size;
    const auto low = run_box(size, {"system.ni.protocols=[{name: LL, efficiency: 0.5, setup: 800 ns}]"});
    const auto wide = run_box(size, {"system.ni.protocols=[{name: Simple, setup: 4 us}]"});
    EXPECT_EQ(time, std::min(low["time_ns"].get<double>(), wide["time_ns"].get<double>())) << size;
  }
}

// With a protocol efficiency of 0.5, only half of the bytes sent are data. The run therefore sends about
// twice as many flits but computes the same final values.
TEST(Costs, AProtocolSendsMoreThanItsData) {
  const auto plain = run_box("1 MiB", {"check=values", "fidelity=flit"});
  const auto low = run_box(
      "1 MiB", {"check=values", "fidelity=flit", "system.ni.protocols=[{name: LL, efficiency: 0.5}]"});
  EXPECT_EQ(low["verified"], "values");
  EXPECT_GT(low["flits"].get<double>(), 1.9 * plain["flits"].get<double>());
}

}  // namespace
}  // namespace coppice::system
