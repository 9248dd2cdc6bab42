#include "config/files/booksim_file.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kMesh =
    "// a mesh\n"
    "topology = mesh;\n"
    "k = 4; n = 3;\n"
    "routing_function = dor;\n"
    "num_vcs = 4;  vc_buf_size = 16;\n"
    "credit_delay = 2; st_prepare_delay = 1;\n"
    "traffic = tornado;\n"
    "injection_rate = 0.02; packet_size = 16;\n"
    "sample_period = 500; max_samples = 4;\n"
    "vc_allocator = islip;\n";

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kMesh;
  return text.replace(text.find(what), what.size(), instead);
}

std::string complaint(const std::string& text) {
  const ScratchFile file(text, "");
  try {
    load_booksim(file.path(), read_booksim(file.path()), {});
  } catch (const ConfigError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "accepted";
}

// BookSim2's own keys are accepted even if Coppice has no counterpart; misspelt keys are refused.
TEST(BooksimFile, AcceptsBooksimsKeys) {
  EXPECT_THAT(complaint("topology = flatfly;\nc = 4; k = 4; n = 2;\nx = 4; y = 4; xr = 2; yr = 2;\n"
                        "routing_function = ran_min;\ntraffic = uniform;\n"),
              HasSubstr("1:12: topology = flatfly: "));
  EXPECT_EQ(complaint(with("n = 3;", "n = 3; x = 4; xr = 1; batch_size = 100; vc_priority_donation = 1;")),
            "accepted");
  EXPECT_THAT(complaint(with("n = 3;", "n = 3; link_failures = 2;")), HasSubstr("link_failures = 2"));
  EXPECT_THAT(complaint(with("n = 3;", "n = 3; rooting_delay = 2;")),
              HasSubstr("did you mean 'routing_delay'?"));
}

TEST(BooksimFile, DescribesNetworkAndTraffic) {
  const ScratchFile file(kMesh, "");
  const BooksimExperiment experiment = read_booksim(file.path());
  EXPECT_EQ(experiment.pattern, "tornado");
  EXPECT_DOUBLE_EQ(experiment.rate, 0.32);
  EXPECT_EQ(experiment.packet_flits, 16);
  EXPECT_EQ(experiment.warmup, 1500);
  EXPECT_EQ(experiment.measure, 2000);
  EXPECT_THAT(experiment.assumptions, Contains(HasSubstr("ignored keys: vc_allocator")));
  const Config config = load_booksim(file.path(), experiment, {}).config;
  EXPECT_EQ(config.system.topology.kind, "mesh");
  EXPECT_THAT(config.system.topology.dims, ElementsAre(4, 4, 4));
  EXPECT_EQ(config.system.router.vcs, 4);
  EXPECT_EQ(config.system.router.vc_depth, 16);
  EXPECT_EQ(config.system.router.st_delay, 2);
  EXPECT_EQ(config.system.router.credit_delay, 2);
  EXPECT_EQ(config.system.link.latency.front(), kFemtosecondsPerNanosecond);
  EXPECT_EQ(config.assumptions, experiment.assumptions);
}

TEST(BooksimFile, UsesBookSimsDefaults) {
  const ScratchFile file("injection_rate_uses_flits = 1;", "");
  const BooksimExperiment experiment = read_booksim(file.path());
  EXPECT_EQ(experiment.pattern, "uniform");
  EXPECT_EQ(experiment.rate, 0.1);
  const Config config = load_booksim(file.path(), experiment, {"system.router.vcs=8"}).config;
  EXPECT_EQ(config.system.topology.kind, "torus");
  EXPECT_THAT(config.system.topology.dims, ElementsAre(8, 8));
  EXPECT_EQ(config.system.router.vcs, 8);
  EXPECT_EQ(config.system.router.vc_depth, 8);
  EXPECT_EQ(config.system.link.latency.front(), 2 * kFemtosecondsPerNanosecond);
}

TEST(BooksimFile, ReadsAnynetFilesBesideIt) {
  const ScratchFile net("router 0 node 0 router 1\nrouter 1 node 1\n", ".net");
  const std::string name = net.path().substr(net.path().rfind('/') + 1);
  const ScratchFile file("topology = anynet; routing_function = min; network_file = " + name + ";", "");
  const Config config = load_booksim(file.path(), read_booksim(file.path()), {}).config;
  EXPECT_EQ(config.system.topology.kind, "file");
  EXPECT_EQ(config.system.topology.file, net.path());
}

TEST(BooksimFile, LocatesMistakes) {
  EXPECT_THAT(complaint(with("num_vcs", "nun_vcs")),
              HasSubstr("5:1: unknown key 'nun_vcs' in a BookSim2 configuration; did you mean 'num_vcs'?"));
  EXPECT_THAT(complaint(with("= mesh", "= fly")), HasSubstr("2:12: topology = fly: its one-way channels"));
  EXPECT_THAT(complaint(with("= mesh", "= cube")),
              HasSubstr("2:12: topology = cube is not one of mesh, torus, anynet, fattree, dragonflynew"));
  EXPECT_THAT(complaint(with("dor", "romm")),
              HasSubstr("4:20: routing_function = romm is not supported for mesh: write one of dor, "));
  EXPECT_THAT(complaint(with("tornado", "taper64")), HasSubstr("7:11: traffic must be uniform"));
  EXPECT_THAT(complaint(with("tornado", "hotspot({1,2},{3,4})")),
              HasSubstr("7:11: 'hotspot({1,2},{3,4})': BookSim2 requires braces around multiple parameters: "
                        "write hotspot({{1,2},{3,4}})"));
  EXPECT_THAT(complaint(with("tornado", "hotspot")), HasSubstr("7:11: traffic = hotspot names no nodes"));
  EXPECT_THAT(complaint(with("credit_delay", "priority = class; credit_delay")),
              HasSubstr("6:12: priority = class is not supported: write none or age"));
  EXPECT_THAT(complaint(with("0.02", "0.2")),
              HasSubstr("8:18: an injection_rate of 0.2 packets of 16 flits"));
  EXPECT_THAT(complaint(with("16;", "none;")),
              HasSubstr("5:29: system.router.vc_depth must be a whole number"));
  EXPECT_THAT(complaint(with("k = 4;", "k : 4;")), HasSubstr("3:1: 'k : 4' has no '='"));
  EXPECT_THAT(complaint("speculative = 1;"),
              HasSubstr("1:15: speculative = 1: Coppice's routers do not allocate the switch speculatively"));
  EXPECT_THAT(complaint("topology = anynet;"), HasSubstr("needs a network_file"));
  EXPECT_THAT(complaint("k = 4"), HasSubstr("1:1: a ';' is missing"));
  EXPECT_THAT(complaint("// nothing\n"), HasSubstr("the file is empty"));
}

TEST(BooksimFile, ReadsTheTrafficOfItsUsers) {
  const auto read = [](const std::string& more) {
    const ScratchFile file("topology = mesh; k = 8; injection_rate = 0.1; packet_size = 4; " + more, "");
    return read_booksim(file.path());
  };
  const BooksimExperiment hotspot = read("traffic = hotspot({{3,9},{1,2}});");
  EXPECT_EQ(hotspot.pattern, "hotspot");
  EXPECT_EQ(hotspot.hotspots, "3:1,9:2");
  EXPECT_EQ(read("traffic = hotspot(5);").hotspots, "5");
  EXPECT_EQ(read("injection_process = on_off; burst_alpha = 0.25; burst_beta = 0.75;").bursts, "0.25,0.75");
  EXPECT_EQ(read("injection_process = on_off({0.25,0.5});").bursts, "0.25,0.5");
  // A source that is on sends a packet in half of the cycles. To reach the injection rate of 0.1, it is on
  // for a fifth of the time.
  EXPECT_EQ(read("injection_process = on_off({-1,0.2,0.5});").bursts, "0.05,0.2");
  const BooksimExperiment requests = read("use_read_write = 1; write_fraction = 0.25; read_reply_size = 5;");
  EXPECT_EQ(requests.request_reply, "1,5,1,1");
  EXPECT_EQ(requests.writes, "0.25");
  EXPECT_DOUBLE_EQ(requests.rate, 0.1 * (0.75 * 6 + 0.25 * 2));
}

TEST(BooksimFile, ReadsNetworksAndRoutingFunctions) {
  const auto read = [](const std::string& text) {
    const ScratchFile file(text, "");
    return load_booksim(file.path(), read_booksim(file.path()), {}).config.system;
  };
  SystemConfig system = read("topology = torus; routing_function = min_adapt; num_vcs = 4; priority = age;");
  EXPECT_EQ(system.router.routing, PacketRouting::kAdaptive);
  EXPECT_EQ(system.router.arbitration, Arbitration::kAge);
  EXPECT_EQ(system.router.vcs, 3);
  system = read("topology = fattree; k = 4; n = 3; routing_function = nca;");
  EXPECT_EQ(system.topology.kind, "fat_tree");
  EXPECT_THAT(system.topology.dims, ElementsAre(4, 3));
  EXPECT_EQ(system.router.routing, PacketRouting::kValiant);
  system = read(
      "topology = dragonflynew; k = 2; n = 1; routing_function = ugal; num_vcs = 3; traffic = bad_dragon;");
  EXPECT_THAT(system.topology.dims, ElementsAre(2, 4, 2));
  EXPECT_EQ(system.link.latency.back(), 100 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(system.router.routing, PacketRouting::kUgal);
}

}  // namespace
}  // namespace coppice::config
