// Tests statistics of modules in results and in the files that --statistics writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

// The values of `quantity` for all modules that have it, from the text of a --statistics file.
std::map<std::string, double> values_of(const std::string& csv, const std::string& quantity) {
  std::map<std::string, double> values;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "module,quantity,unit,value");
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string module;
    std::string name;
    std::string unit;
    std::string value;
    std::getline(cells, module, ',');
    std::getline(cells, name, ',');
    std::getline(cells, unit, ',');
    std::getline(cells, value);
    if (name == quantity) values[module] = std::stod(value);
  }
  return values;
}

double sum_of(const std::map<std::string, double>& values) {
  double sum = 0;
  for (const auto& [module, value] : values) sum += value;
  return sum;
}

TEST(Statistics, OfModulesAddUpToTheResult) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome =
      shop.run({"run", "c.yaml", "--set", "fidelity=flit", "--out", "r.json", "--statistics", "s.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto result = shop.read_json("r.json");
  const std::string csv = shop.read("s.csv");
  const auto& statistics = result["statistics"];
  EXPECT_EQ(statistics["router"]["flits"]["sum"], result["flit_hops"]);
  EXPECT_EQ(statistics["terminal"]["flits_injected"]["sum"], result["flits"]);
  EXPECT_EQ(statistics["terminal"]["flits_ejected"]["sum"], result["flits"]);
  // Each flit crosses a channel once when it is injected, and once each time a router switches it.
  EXPECT_EQ(statistics["channel"]["flits"]["sum"].get<int>(),
            result["flits"].get<int>() + result["flit_hops"].get<int>());
  const auto& interface = statistics["network_interface"];
  EXPECT_GT(interface["messages_sent"]["sum"], 0);
  EXPECT_EQ(interface["messages_sent"]["sum"], interface["messages_received"]["sum"]);
  EXPECT_EQ(interface["bytes_sent"]["sum"], interface["bytes_received"]["sum"]);
  // The sender of each message reads its data at least once.
  EXPECT_GE(statistics["memory"]["dma_bytes"]["sum"], interface["bytes_sent"]["sum"]);

  const auto terminals = values_of(csv, "flits_injected");
  EXPECT_EQ(terminals.size(), statistics["terminal"]["modules"]);
  EXPECT_EQ(sum_of(terminals), result["flits"]);
  EXPECT_THAT(terminals, Contains(Key("machine.node_0.ni.terminal")));
  EXPECT_EQ(sum_of(values_of(csv, "bytes_sent")), interface["bytes_sent"]["sum"]);
}

TEST(Statistics, OfTrainsAgreeWithFlitsForTheSameQuantities) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const auto run = [&](const std::string& fidelity) {
    const Outcome outcome = shop.run({"run", "c.yaml", "--set", "fidelity=" + fidelity, "--out", "r.json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return shop.read_json("r.json")["statistics"];
  };
  const auto flits = run("flit");
  const auto trains = run("train");
  EXPECT_EQ(flits["network_interface"], trains["network_interface"]);
  EXPECT_EQ(flits["memory"], trains["memory"]);
  EXPECT_EQ(flits["router"]["flits"]["sum"], trains["fabric"]["flit_hops"]["sum"]);
  EXPECT_FALSE(trains.contains("router"));
}

TEST(Statistics, OfTrafficAreThoseOfItsRouters) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome =
      shop.run({"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1",
                "--warmup", "100", "--measure", "500", "--out", "t.json", "--statistics", "s.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto result = shop.read_json("t.json");
  EXPECT_EQ(result["statistics"]["router"]["flits"]["sum"], result["flit_hops"]);
  const auto terminals = values_of(shop.read("s.csv"), "flits_ejected");
  EXPECT_EQ(sum_of(terminals), result["statistics"]["terminal"]["flits_ejected"]["sum"]);
  EXPECT_THAT(terminals, Contains(Key("machine.node_0.traffic.terminal")));
}

TEST(Statistics, AreDescribedWithTheirUnits) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"modules", "c.yaml", "--statistics"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("memory\tbytes_read\tB\tData "));
  EXPECT_THAT(outcome.out, HasSubstr("router\tflits\t\tFlits "));
}

TEST(Statistics, OfTrafficAreDescribedWithoutInterfaces) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"modules", "c.yaml", "--traffic", "--statistics"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("router\tflits\t\tFlits "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("network_interface")));
}

TEST(Statistics, ThatCannotBeWrittenAreRejectedBeforeTheRun) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"run", "c.yaml", "--statistics", "nowhere/s.csv"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--statistics nowhere/s.csv:1:1: "));
}

}  // namespace
}  // namespace coppice::system_test
