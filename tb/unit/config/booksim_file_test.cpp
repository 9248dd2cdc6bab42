#include "config/booksim_file.h"

#include <gmock/gmock.h>

#include "base/error.h"
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

TEST(BooksimFile, DescribesNetworkAndTraffic) {
  const ScratchFile file(kMesh, "");
  const BooksimExperiment experiment = read_booksim(file.path());
  EXPECT_EQ(experiment.pattern, "tornado");
  EXPECT_DOUBLE_EQ(experiment.rate, 0.32);
  EXPECT_EQ(experiment.packet_flits, 16);
  EXPECT_EQ(experiment.warmup, 1500);
  EXPECT_EQ(experiment.measure, 2000);
  EXPECT_THAT(experiment.assumptions, Contains(HasSubstr("not read: vc_allocator")));
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

TEST(BooksimFile, TakesBookSimsDefaults) {
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

TEST(BooksimFile, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(
      complaint(with("num_vcs", "nun_vcs")),
      HasSubstr("5:1: unknown key 'nun_vcs' of a configuration of BookSim2; did you mean 'num_vcs'?"));
  EXPECT_THAT(complaint(with("= mesh", "= fly")), HasSubstr("2:12: topology = fly: mesh, torus and anynet"));
  EXPECT_THAT(complaint(with("dor", "valiant")), HasSubstr("4:20: routing_function = valiant: a mesh is"));
  EXPECT_THAT(complaint(with("tornado", "hotspot")), HasSubstr("7:11: traffic must be uniform"));
  EXPECT_THAT(complaint(with("0.02", "0.2")), HasSubstr("8:18: injection_rate of 0.2 packets of 16 flits"));
  EXPECT_THAT(complaint(with("16;", "none;")),
              HasSubstr("5:29: system.router.vc_depth must be a whole number"));
  EXPECT_THAT(complaint(with("k = 4;", "k : 4;")), HasSubstr("3:1: 'k : 4' has no '='"));
  EXPECT_THAT(complaint("speculative = 1;"), HasSubstr("1:15: speculative = 1: the switch"));
  EXPECT_THAT(complaint("topology = anynet;"), HasSubstr("needs a network_file"));
  EXPECT_THAT(complaint("k = 4"), HasSubstr("1:1: a ';' is missing"));
  EXPECT_THAT(complaint("// nothing\n"), HasSubstr("holds nothing"));
}

}  // namespace
}  // namespace coppice::config
