// In a symmetric collective, the trains of one accelerator can represent those of all accelerators. With
// --trace, all trains are simulated; results must be the same.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

struct Case {
  const char* name;
  const char* system;
  std::vector<std::string> settings;
};

const std::vector<Case> kCases{
    {"switches",
     "themis/2D-SW_SW.yaml",
     {"collective.chunks=2", "collective.scheduler=themis", "collective.size=1000004 B"}},
    {"rings, connected groups and switches",
     "themis/4D-Ring_FC_Ring_SW.yaml",
     {"collective.chunks=2", "collective.scheduler=baseline", "collective.size=8000012 B"}},
    {"trees on a torus",
     "torus_16x16.yaml",
     {"system.topology.dims=[20,20]", "collective.algorithm=multitree_optimal", "collective.size=400KiB"}},
    {"a ring that leaves accelerators by different ports",
     "torus_16x16.yaml",
     {"system.topology.dims=[20,18]", "collective.algorithm=ring", "collective.size=360KiB"}},
    {"the same, with packets",
     "torus_16x16.yaml",
     {"system.topology.dims=[18,20]", "collective.algorithm=ring", "collective.size=720KiB",
      "system.ni.flow_control=packet", "collective.op=reduce_scatter"}},
    {"numbers",
     "themis/3D-FC_Ring_SW.yaml",
     {"collective.op=reduce_scatter", "collective.chunks=1", "collective.size=20008 B", "check=values"}},
};

TEST(SymmetricRun, ReportsTheSameAsARunOfAllAccelerators) {
  for (const Case& drawn : kCases) {
    SCOPED_TRACE(drawn.name);
    nlohmann::ordered_json results[2];
    std::string statistics[2];
    for (const bool watched : {false, true}) {
      const Workshop shop;
      std::vector<std::string> line{"run",          shipped_config(fmt::format("systems/{}", drawn.system)),
                                    "--set",        "fidelity=train",
                                    "--statistics", "s.csv",
                                    "--out",        "r.json"};
      for (const std::string& setting : drawn.settings) line.insert(line.end(), {"--set", setting});
      if (watched) line.insert(line.end(), {"--trace", "t"});
      const Outcome outcome = shop.run(line);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      results[watched ? 1 : 0] = shop.read_json("r.json");
      results[watched ? 1 : 0].erase("simulator");
      statistics[watched ? 1 : 0] = shop.read("s.csv");
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_TRUE(statistics[0] == statistics[1]) << "other statistics";
  }
}

// If trains contend or a run does not finish, the error message must describe all accelerators.
TEST(SymmetricRun, FailsLikeARunOfAllAccelerators) {
  const std::vector<std::vector<std::string>> failures{
      {"system.router.vc_depth=8"},  // buffers do not cover the credit loop
      {"max_cycles=3000"}};
  for (const auto& settings : failures) {
    std::string said[2];
    for (const bool watched : {false, true}) {
      const Workshop shop;
      std::vector<std::string> line{"run",   shipped_config("systems/themis/2D-SW_SW.yaml"),
                                    "--set", "fidelity=train",
                                    "--set", "collective.chunks=1",
                                    "--set", "collective.size=1000004 B"};
      for (const std::string& setting : settings) line.insert(line.end(), {"--set", setting});
      if (watched) line.insert(line.end(), {"--trace", "t"});
      const Outcome outcome = shop.run(line);
      EXPECT_EQ(outcome.status, 1);
      said[watched ? 1 : 0] = outcome.err;
    }
    EXPECT_EQ(said[0], said[1]);
  }
}

}  // namespace
}  // namespace coppice::system_test
