#include "schedule/automatic/symmetric_time.h"

#include <gtest/gtest.h>

#include "machine.h"
#include "schedule/packed_trees/expected_time.h"

namespace coppice::schedule {
namespace {

// The time computed from the origin's messages alone equals the time computed from the messages of all
// accelerators.
TEST(SymmetricTime, IsTheTimeOfAllAccelerators) {
  for (const char* algorithm : {"multitree_optimal", "ring"}) {
    for (const std::vector<int>& dims : {std::vector{4, 4}, std::vector{3, 5}, std::vector{4, 2, 3}}) {
      const Machine machine = torus(dims);
      CompileRequest request = timed(
          machine.request(Collective::kAllReduce, Bytes{64} * machine.topology.num_accelerators() * 16));
      request.pattern_beyond = 1;
      request.chunks = 1;
      const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
      const auto time = symmetric_time(machine.topology, request, schedule);
      if (!time) continue;  // these trees have no translations
      EXPECT_EQ(*time, expected_time(machine.topology, request, schedule)) << algorithm;
    }
  }
}

TEST(SymmetricTime, IsKnownIfOneAcceleratorRepresentsAll) {
  const Machine machine = torus({4, 4});
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 65536));
  const Schedule stored = make_compiler("ring")->compile(machine.topology, request);
  EXPECT_FALSE(symmetric_time(machine.topology, request, stored));
  request.pattern_beyond = 1;
  EXPECT_TRUE(
      symmetric_time(machine.topology, request, make_compiler("ring")->compile(machine.topology, request)));
}

}  // namespace
}  // namespace coppice::schedule
