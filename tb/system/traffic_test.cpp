#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> traffic(const std::vector<std::string>& more) {
  std::vector<std::string> line{"traffic",        shipped_config("systems/mesh_8x8_booksim.yaml"),
                                "--pattern",      "uniform",
                                "--rate",         "0.1",
                                "--packet-flits", "1"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

TEST(Traffic, ReportsWhatItMeasured) {
  const Workshop shop;
  const Outcome outcome = shop.run(traffic({"--warmup", "1000", "--measure", "5000", "--out", "t.json"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("packet latency"));
  const auto result = shop.read_json("t.json");
  for (const char* key :
       {"packet_latency_mean", "flit_latency_mean", "accepted_flits_per_node_cycle", "hops_mean"}) {
    EXPECT_GT(result[key].get<double>(), 0) << key;
  }
  EXPECT_EQ(result["saturated"], false);
  EXPECT_TRUE(result.contains("simulator"));
  EXPECT_THAT(shop.files(), ElementsAre("t.json"));
}

// In a traffic run, routers and channels have the same names and bindings as in a run of a collective.
TEST(Traffic, RunsOnTheMachineOfCollectives) {
  const Workshop shop;
  const auto modules = [&](const std::vector<std::string>& more) {
    std::vector<std::string> line{"modules", shipped_config("systems/mesh_8x8_booksim.yaml"),
                                  "--set",   "system.topology.dims=[2, 2]",
                                  "--set",   "system.ni.ports=1"};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const auto network_of = [](const std::string& text) {
    std::istringstream lines(text);
    std::string network;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("machine.") == line.find_first_not_of(' ')) {
        inside = line.ends_with(".router") || line.find("channel_") != std::string::npos ||
                 line.find(".injection_") != std::string::npos ||
                 line.find(".ejection_") != std::string::npos;
      }
      if (inside) network += line + "\n";
    }
    return network;
  };
  const std::string traffic = modules({});
  const std::string collective = modules({"--set", "collective.algorithm=ring", "--set",
                                          "collective.size=4 KiB", "--set", "collective.op=all_reduce"});
  EXPECT_THAT(network_of(traffic), HasSubstr("in_0 (sc_port) -> machine.channel_1_0.receiver"));
  EXPECT_EQ(network_of(traffic), network_of(collective));
  EXPECT_THAT(traffic, HasSubstr("network_0 (sc_port) -> machine.node_3.traffic.terminal.port_0"));
  EXPECT_THAT(traffic, Not(HasSubstr(".ni")));
  EXPECT_THAT(collective, Not(HasSubstr(".traffic")));
  // `coppice modules` requires a collective in the configuration.
  const Outcome outcome = shop.run(
      {"modules", shipped_config("systems/mesh_8x8_booksim.yaml"), "--set", "collective.size=4 KiB"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("collective.algorithm is missing"));
}

TEST(Traffic, RunsAnExperimentOfBookSim) {
  const Workshop shop;
  shop.write("mesh",
             "topology = mesh; k = 4; num_vcs = 4; vc_buf_size = 16; packet_size = 4;\n"
             "injection_rate = 0.05; max_samples = 3;\n");
  EXPECT_EQ(shop.run({"traffic", "--booksim", "mesh", "--out", "a.json"}).status, 0);
  // The same experiment, given as a configuration and options.
  const Outcome outcome = shop.run({"traffic",        shipped_config("systems/mesh_8x8_booksim.yaml"),
                                    "--set",          "system.topology.dims=[4, 4]",
                                    "--set",          "system.router.credit_delay=0",
                                    "--set",          "seed=0",
                                    "--pattern",      "uniform",
                                    "--rate",         "0.2",
                                    "--packet-flits", "4",
                                    "--warmup",       "3000",
                                    "--measure",      "3000",
                                    "--out",          "b.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto theirs = shop.read_json("a.json");
  const auto ours = shop.read_json("b.json");
  for (const char* key : {"packet_latency_mean", "accepted_flits_per_node_cycle", "hops_mean"}) {
    EXPECT_EQ(theirs[key], ours[key]) << key;
  }
  EXPECT_THAT(theirs["assumptions"].dump(), HasSubstr("BookSim2 stops once its means are steady"));
  // Options may also come before the file.
  EXPECT_EQ(shop.run({"traffic", "--booksim", "mesh", "--rate", "0.1", "--out", "c.json"}).status, 0);
  EXPECT_NEAR(shop.read_json("c.json")["accepted_flits_per_node_cycle"].get<double>(), 0.1, 0.01);
}

TEST(Traffic, RequiresAnExperimentOfOneKind) {
  const Workshop shop;
  shop.write("mesh", "topology = mesh;\n");
  const Outcome neither = shop.run({"traffic", "--rate", "0.1"});
  EXPECT_EQ(neither.status, 2);
  EXPECT_THAT(neither.err, HasSubstr("pass either a CONFIG.yaml, or a BookSim2 file"));
  auto both = traffic({"--booksim", "mesh"});
  EXPECT_EQ(shop.run(both).status, 2);
  const Outcome half =
      shop.run({"traffic", shipped_config("systems/mesh_8x8_booksim.yaml"), "--pattern", "uniform"});
  EXPECT_EQ(half.status, 2);
  EXPECT_THAT(half.err, HasSubstr("--rate is missing: write, for example, --pattern uniform --rate 0.1"));
}

TEST(Traffic, GeneratesOtherPacketsWithAnotherSeed) {
  const Workshop shop;
  const auto result_for = [&](const char* seed) {
    EXPECT_EQ(
        shop.run(traffic({"--warmup", "100", "--measure", "2000", "--seed", seed, "--out", "t.json"})).status,
        0);
    auto result = shop.read_json("t.json");
    EXPECT_EQ(result["config"]["seed"].dump(), seed);
    result.erase("simulator");
    return result.dump();
  };
  const std::string first = result_for("1");
  EXPECT_EQ(result_for("1"), first);
  EXPECT_NE(result_for("2"), first);
}

TEST(Traffic, WarnsAboutTheCollective) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"traffic", "c.yaml", "--pattern", "neighbor", "--rate", "0.1",
                                    "--packet-flits", "2", "--warmup", "10", "--measure", "100"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "c.yaml:9:7: warning: collective.op, collective.algorithm, collective.size have no effect on "
            "synthetic traffic\n");
}

TEST(Traffic, StopsOnInterruptWithoutLeavingAFile) {
  const Workshop shop;
  RunningCommand command(shop.directory(), traffic({"--measure", "1000000000", "--out", "t.json"}));
  ASSERT_TRUE(command.await_on_terminal("%"));
  command.interrupt();
  EXPECT_EQ(command.finish().status, 130);
  EXPECT_THAT(shop.files(), ElementsAre());
}

TEST(Traffic, RunsHotspotsBurstsAndReplies) {
  const Workshop shop;
  const Outcome outcome = shop.run({"traffic",         shipped_config("systems/mesh_8x8_booksim.yaml"),
                                    "--pattern",       "hotspot",
                                    "--hotspots",      "9,18:2",
                                    "--rate",          "0.01",
                                    "--bursts",        "0.01,0.05",
                                    "--request-reply", "1,5,5,1",
                                    "--writes",        "0.25",
                                    "--packet-flits",  "1",
                                    "--warmup",        "500",
                                    "--measure",       "3000",
                                    "--set",           "system.router.arbitration=age",
                                    "--set",           "system.router.routing=adaptive",
                                    "--out",           "t.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("from request to reply"));
  const auto result = shop.read_json("t.json");
  EXPECT_EQ(result["traffic"]["hotspots"][1]["weight"], 2);
  EXPECT_EQ(result["traffic"]["request_reply"]["writes"], 0.25);
  EXPECT_EQ(result["config"]["system"]["router"]["routing"], "adaptive");
  EXPECT_GT(result["transaction_latency_mean"].get<double>(), 0);
}

TEST(Traffic, RunsTracesAndPermutationsFromFiles) {
  const Workshop shop;
  shop.write("trace",
             "ID:1 CYC:5 SRC:0 DST:9 TYP:ReadReq NDEP:1 2\nID:2 CYC:0 SRC:9 DST:0 TYP:ReadResp NDEP:0\n");
  const std::string mesh = shipped_config("systems/mesh_8x8_booksim.yaml");
  Outcome outcome = shop.run({"traffic", mesh, "--trace", "trace", "--out", "t.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 packets of trace in "));
  EXPECT_EQ(shop.read_json("t.json")["traffic"]["packets"], 2);
  shop.write("bad", "ID:1 CYC:5 SRC:0 DST:99\n");
  outcome = shop.run({"traffic", mesh, "--trace", "bad"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("bad:1:1: '99' is not a valid accelerator: write a whole number from 0 to 63"));
  std::string permutation;
  for (int i = 0; i < 64; ++i) permutation += std::to_string(i) + " " + std::to_string(63 - i) + "\n";
  shop.write("reversed", permutation);
  const auto measure = [&](const std::vector<std::string>& pattern) {
    std::vector<std::string> line{"traffic",  mesh,  "--rate",    "0.05", "--packet-flits", "1",
                                  "--warmup", "100", "--measure", "1000", "--out",          "p.json"};
    line.insert(line.end(), pattern.begin(), pattern.end());
    EXPECT_EQ(shop.run(line).status, 0);
    return shop.read_json("p.json")["packet_latency_mean"];
  };
  EXPECT_EQ(measure({"--pattern", "permutation", "--permutation", "reversed"}),
            measure({"--pattern", "bitcomp"}));
}

TEST(Traffic, RejectsRoutingThatTheNetworkDoesNotSupport) {
  const Workshop shop;
  const Outcome outcome =
      shop.run(traffic({"--set", "system.router.routing=ugal", "--set", "system.router.vcs=1"}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(
      outcome.err,
      HasSubstr(
          "system.router.routing: ugal: 1 virtual channels are too few on mesh 8x8: it needs at least 2"));
}

}  // namespace
}  // namespace coppice::system_test
