#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using Json = nlohmann::ordered_json;

// A random machine with launch costs, message setups, efficiencies and protocols, and a random collective.
class RandomMachine {
 public:
  explicit RandomMachine(std::uint32_t seed) : random_(seed) {
    const Network network = one_of<Network>({{"kind: switch, dims: [4]", "direct"},
                                             {"kind: torus, dims: [3, 3]", "multitree"},
                                             {"kind: ring, dims: [5]", "multitree"},
                                             {"kind: fully_connected, dims: [4]", "direct"},
                                             {"kind: mesh, dims: [2, 4]", "multitree"}});
    std::vector<std::string> protocols;
    for (int i = one_of<int>({0, 1, 2, 3}); i > 0; --i) protocols.push_back(protocol(i));
    // Each statement draws one random number, because the evaluation order of arguments is unspecified.
    text = fmt::format("system:\n  topology: {{{}}}\n", network.topology);
    text += fmt::format("  link: {{bandwidth: {} GB/s, ", one_of<int>({16, 25, 50}));
    text += fmt::format("latency: {} ns, ", one_of<int>({20, 150, 333}));
    text += fmt::format("efficiency: {}}}\n", one_of<double>({1, 0.81, 0.5, 0.33}));
    text += fmt::format("  ni: {{flow_control: {}, ", one_of<std::string>({"message", "packet"}));
    text += fmt::format("launch: {} ns, ", one_of<int>({0, 1234, 5000}));
    text += fmt::format("message_setup: {} ns, ", one_of<int>({0, 17, 800}));
    text += fmt::format("protocols: [{}]}}\n", fmt::join(protocols, ", "));
    text += fmt::format("collective: {{op: {}, ",
                        one_of<std::string>({"all_reduce", "reduce_scatter", "all_gather"}));
    text += fmt::format("algorithm: {}, ", one_of<std::string>({"ring", network.algorithm, "auto"}));
    text += fmt::format("size: {} B}}\n", one_of<int>({777, 4096, 20000, 65536}));
  }

  std::string text;

 private:
  struct Network {
    std::string topology;
    std::string algorithm;  // an alternative to ring
  };

  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  std::string protocol(int number) {
    std::string one = fmt::format("{{name: p{}", number);
    one += fmt::format(", efficiency: {}", one_of<double>({0.3, 0.5, 0.77, 0.94, 1}));
    one += fmt::format(", setup: {} ns", one_of<int>({0, 100, 733}));
    one += fmt::format(", launch: {} ns", one_of<int>({0, 999, 3000}));
    one += one_of<std::string>({"", ", up_to: 4096 B", ", up_to: 16384 B"});
    one += one_of<std::string>({"", "", ", from: 100 B", ", from: 8192 B"});
    return one + "}";
  }

  std::mt19937 random_;
};

// With these costs, flits, leaps and trains must all take the same number of cycles.
class RandomCosts : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomCosts, AreTheSameCyclesInEveryFidelity) {
  const Workshop shop;
  const RandomMachine machine(GetParam());
  SCOPED_TRACE(machine.text);
  shop.write("c.yaml", machine.text);
  const auto cycles_in = [&](const std::string& fidelity) {
    const Outcome outcome =
        shop.run({"run", "c.yaml", "--quiet", "--set", "fidelity=" + fidelity, "--out", fidelity + ".json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? shop.read_json(fidelity + ".json")["cycles"].get<std::int64_t>() : -1;
  };
  const std::int64_t flits = cycles_in("flit");
  EXPECT_EQ(cycles_in("leap"), flits);
  EXPECT_EQ(cycles_in("train"), flits);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCosts, ::testing::Range(0U, 12U));

}  // namespace
}  // namespace coppice::system_test
